"""Disguises of addresses that no request may reach."""

from __future__ import annotations

# Each leads, for who believes it, to an address that is loopback, private, link-local, shared, reserved, multicast or
# the metadata service of a cloud.
WRITTEN = """
    http://127.0.0.1/ http://127.1/ http://127.0.1/ http://2130706433/ http://0x7f000001/ http://0x7f.1/
    http://0177.0.0.1/ http://017700000001/ http://0/ http://0.0.0.0/ http://127.0.0.1./ http://127.255.255.254/
    http://localhost/ http://localhost./ http://LOCALHOST/ http://a.localhost/ http://user@127.0.0.1/
    http://good.example@127.0.0.1:80/ http://１２７.０.０.１/ http://127。0。0。1/ http://[::1]/ http://[::]/
    http://[::ffff:127.0.0.1]/ http://[::ffff:7f00:1]/ http://[::127.0.0.1]/ http://[64:ff9b::7f00:1]/
    http://[2002:7f00:1::]/ http://[fe80::1]/ http://[fd00:ec2::254]/ http://[fec0::1]/ http://[ff02::1]/
    http://10.0.0.1/ http://172.16.0.1/ http://192.168.1.1/ http://169.254.169.254/ http://100.64.0.1/
    http://100.100.100.200/ http://168.63.129.16/ http://192.0.0.192/ http://198.18.0.1/ http://224.0.0.1/
    http://240.0.0.1/ http://255.255.255.255/ http://metadata.google.internal/ http://printer.local/
"""
DISGUISES = tuple(WRITTEN.split())
