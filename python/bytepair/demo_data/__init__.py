"""What `bytepair demo` works on, and the texts of `bytepair.bundled_texts`. All are free to use.

`alice_body.txt`: Alice's Adventures in Wonderland by Lewis Carroll, 1865, public domain; 151,095 bytes.
`ru_gogol_shinel.txt`: The Overcoat by Nikolai Gogol, 1842, in Russian, public domain; 118,178 bytes.
`ja_akutagawa.txt`: five stories by Ryunosuke Akutagawa (died 1927), in Japanese, public domain; 156,278 bytes.
`tr_anayasa.txt`: the Constitution of Turkey, official text, in Turkish, not protected; 180,184 bytes.
`ar_udhr.txt`: the Universal Declaration of Human Rights, in Arabic; source: United Nations; 13,840 bytes.
`samples.json`: a list of [label, text], written for the demo.
"""
