"""Commands that take a password or a token: by which flag, or as a plain argument."""

from __future__ import annotations

from functools import cache

from rum.redact.secret_plausibility import compiled
from rum.text.lexicon import word_set

# A flag, and the commands in which a password or a token follows it. `*` stands for any letters.
_FLAGS = {
    "p": """
    7z* altool argocd az beeline buildah bx cbexport cbimport cbq cf cockroach couchbase-cli cqlsh
    crackmapexec cypher-shell docker dropdb elasticsearch-users esxcli evil-winrm fly flyway hdbsql helm
    hydra ibmcloud impacket-* influx jf jfrog kcadm kinit liquibase mariadb* mcli medusa mongo* my* mycli
    ncftp* nerdctl netexec nodetool nxc oc pgcli plink podman psexec* psql pulsar-admin rabbitmqadmin racadm
    rar rdesktop redis-cli sentinelctl security skopeo smbmap snowsql solr sshpass steghide svn twine unrar
    useradd usermod vncviewer winrs wlst wpscan xcrun xfreerdp* youtube-dl yt-dlp certutil signtool openvpn
    gam imapsync exchangelib nordvpn expressvpn lpr
    """,
    "P": """
    bcp bsqldb curl fisql freebcp ipmitool iscsiadm isql mosquitto_* mssql-cli osql rar security sqlcmd
    ssh-keygen tsql unzip usql zip zipcloak pg_* ldapmodify svmap cntlm
    """,
    "pw": "plink pscp psftp pageant puttygen nodetool nzsql tmsh winscp kitty vncviewer",
    "hp": "rar unrar 7z*",
    "w": "ldap* vsql security ipa kadmin dbaccess etcdctl lpass sentinel keepassxc-cli",
    "W": "gsql kadmin sipp vsql mount.cifs",
    "c": "snmp* onesixtyone",
    "s": "ldappasswd",
    "xp": "sendemail",
    "a": "redis-* keydb-cli valkey-cli",
    "A": "snmp*",
    "X": "snmp*",
    "k": "openssl monit security nuget dotnet ccrypt sftp-* monero*",
    "K": "openssl ccrypt ccencrypt ccdecrypt",
    "N": "ssh-keygen",
    "S": "s3cmd",
    "t": """
    doctl snyk ngrok netlify vercel wrangler hcloud linode-cli surge codecov influx fly hey codecovcli percy
    """,
    "ap": "swaks",
    "auth": "java netlify",
    "rp": "schtasks",
    "ru": "",
}
# Flags with `user:password`.
_PAIR_FLAGS = word_set(
    "u U a A user proxy-user auth cert creds credentials basic basic-auth userpass login cred"
)
_USER = r"(?:^|\s)(?:-{1,2}(?:u|U|user|username|usr|login|l|D|n|x)\b|/u\b|/user\b)"

# Commands, subcommands and functions that take a password as a plain argument.
POSITIONAL = word_set(
    """
    adduser authtoken bcp bindpw btcctl chpasswd cmdkey conn connect cryptsetup cutycapt dblink dscl
    ecryptfs expdp genkey htdigest htpasswd identified impdp isql kadmin keepassxc keyctl keyring
    keytool kinit ldapadd lftp mcrypt mosquitto mysqladmin netrc newusers ngrok nmcli oathtool opasswd
    pamtester passwd pdbedit pdftk plink proxychains psexec psk pwgen qpdf rabbitmqctl radtest rand
    rasdial restic rman rpcclient runas samba securestring setairportnetwork smbclient smbpasswd snmpset
    sqlldr sqlplus sshpass ssid ssm steghide svnadmin tcpip telnet unlock unseal useradd usermod
    veracrypt vncpasswd wevtutil wifi winexe wlan wmic wpasupplicant
    """
)


@cache
def _pattern(flag: str) -> str:
    names = "|".join(name.replace("*", r"[\w-]*") for name in sorted(_FLAGS[flag].split()))
    return rf"(?:^|[\s/\\(\"'=])(?:{names})(?:\.\w{{2,3}})?(?=[\s\"'.]|$)"


def command_before(text: str, at: int) -> str:
    """The beginning of the command that this place belongs to."""
    head = text[max(0, at - 300) : at].replace("\\\n", "  ").replace("\\\r\n", "   ")
    cut = max(map(head.rfind, ("\n", "| ", ";", "&&", "$(", "`")))
    return head[cut + 1 :]


def takes_password(flag: str, command: str) -> bool:
    """Whether a password follows this flag in this command."""
    return bool(_FLAGS.get(flag)) and compiled(_pattern(flag)).search(command) is not None


def names_user(command: str) -> bool:
    """Whether the command says who logs in."""
    return compiled(_USER).search(command) is not None


def takes_pair(flag: str) -> bool:
    """Whether `user:password` may follow this flag."""
    return flag in _PAIR_FLAGS
