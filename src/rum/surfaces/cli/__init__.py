"""The door for people and scripts: `rum COMMAND`, one file a command or small group of them."""
