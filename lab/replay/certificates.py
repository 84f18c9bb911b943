"""Throw-away certificates, so that https addresses can be replayed."""

from __future__ import annotations

import ssl
import tempfile
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

LIFETIME = timedelta(days=30)  # of a server that nobody stops
CLOCK_SKEW = timedelta(days=1)
_MAX_COMMON_NAME = 64  # characters, RFC 5280 ub-common-name


class CertificateAuthority:
    """Signs a certificate for every host on first use. Its key lives in memory and dies with the server."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Replay of a recorded web")])
        builder = _builder(self._name, self._name, self._key.public_key())
        constraints = x509.BasicConstraints(ca=True, path_length=0)
        usage = _key_usage(signs_certificates=True)
        builder = builder.add_extension(constraints, critical=True).add_extension(usage, critical=True)
        self._certificate = builder.sign(self._key, hashes.SHA256())
        self._contexts: dict[str, ssl.SSLContext] = {}

    @property
    def pem(self) -> bytes:
        """The certificate to trust, for clients that verify (SSL_CERT_FILE)."""
        return self._certificate.public_bytes(Encoding.PEM)

    def context(self, host: str) -> ssl.SSLContext:
        """The server's side of TLS for a host name or an IP address."""
        if host not in self._contexts:
            self._contexts[host] = _server_context(self._key, self._issue(host))
        return self._contexts[host]

    def _issue(self, host: str) -> x509.Certificate:
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host[:_MAX_COMMON_NAME])])
        builder = _builder(name, self._name, self._key.public_key())
        alternatives = x509.SubjectAlternativeName([_general_name(host)])
        identifier = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        builder = builder.add_extension(alternatives, critical=False).add_extension(identifier, critical=False)
        return builder.sign(self._key, hashes.SHA256())


def _builder(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return x509.CertificateBuilder(
        subject_name=subject,
        issuer_name=issuer,
        public_key=key,
        serial_number=x509.random_serial_number(),
        not_valid_before=now - CLOCK_SKEW,
        not_valid_after=now + LIFETIME,
    ).add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)


def _key_usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _general_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _server_context(key: ec.EllipticCurvePrivateKey, certificate: x509.Certificate) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    with tempfile.TemporaryDirectory(prefix="zhuti-replay-") as folder:  # ssl reads keys from files only
        file = Path(folder, "key.pem")
        file.write_bytes(secret + certificate.public_bytes(Encoding.PEM))
        context.load_cert_chain(file)
    return context
