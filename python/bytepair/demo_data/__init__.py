"""What `bytepair demo` works on.

`alice_body.txt`: Alice's Adventures in Wonderland by Lewis Carroll, 1865, public domain; 151,095 bytes.
`samples.json`: a list of [label, text], written for the demo.
"""
