"""Understanding: text -> normalized text -> grammar -> IR."""
