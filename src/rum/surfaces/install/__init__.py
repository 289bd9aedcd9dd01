"""Install RUM into the settings of other programs, without changing anything else in them."""
