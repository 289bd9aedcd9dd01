"""The only reader of configuration: where RUM keeps things (`home`), and how it behaves here (`load`)."""
