"""Where Hearken hears and speaks: this machine, Wyoming satellites; and what others get from it."""
