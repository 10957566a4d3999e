"""The pages that show a home in a browser, served by the daemon itself."""
