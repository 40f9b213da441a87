"""`python -m counterplay` is the command `counterplay`."""

from counterplay.cli import main

if __name__ == "__main__":
    main()
