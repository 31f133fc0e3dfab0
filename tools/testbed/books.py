#!/usr/bin/env python3
"""Prints the gateway's books from `wakegatectl stats -o json` (stdin).

Exits 1 unless packets moved and each has gone somewhere: a difference of 0.
"""
import json
import sys


def main():
    books = json.load(sys.stdin)
    books = books.get("snapshot", books).get("books", {})
    number = {name: int(books.get(name, 0)) for name in ("received", "created", "sent", "dropped", "held", "merged")}
    difference = int(books.get("difference", 0))
    print("  " + ", ".join(f"{value} {name}" for name, value in number.items()))
    print(f"  received + created - sent - dropped - held - merged = {difference}")
    return 0 if number["sent"] > 0 and difference == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
