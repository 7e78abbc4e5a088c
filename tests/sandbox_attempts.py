"""What a hostile leaf tries: a table for test_sandbox_escape.py.

Each attempt is the body of a function `attempt()` that returns something true when it got what it wanted, and raises
OSError (or returns something false) when it was refused. It finds the names that sandbox_range.py puts before it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Level = Literal["full", "old", "landlock", "seccomp", "weak", "off"]
# "old": seccomp and the first version of Landlock. "weak": neither; only what concerns privileges is tried there. "off"
# is the canary: there the attempt has to work, or it proves nothing at the other levels.
LEVELS: tuple[Level, ...] = ("full", "old", "landlock", "seccomp", "weak", "off")
# Those at which tasks with the same original share a process that holds it: tried both with such a process and without.
SHARING: tuple[Level, ...] = ("full", "old")


@dataclass(frozen=True)
class Attempt:
    """name: what it tries. body: see above.

    works: the levels at which it is known to work. open: levels at which either is fine, since that depends on the
        kernel or on other settings of the machine. skip: levels at which it is not tried.
    needs_root: at level "off" it works for root only.
    A process that ends with exit code 77 has got what it wanted, too.
    """

    name: str
    body: str
    works: frozenset[str] = field(default_factory=lambda: frozenset({"off"}))
    open: frozenset[str] = frozenset()
    needs_root: bool = False
    skip: frozenset[str] = frozenset()


ATTEMPTS: list[Attempt] = []


def _add(
    name: str,
    body: str,
    works: str = "off",
    open: str = "",
    needs_root: bool = False,
    skip: str = "",
    privilege: bool = False,
) -> None:
    """privilege: whether it is tried at level "weak", too."""
    skip = skip if privilege else f"{skip} weak"
    ATTEMPTS.append(
        Attempt(
            name,
            body.strip("\n"),
            works=frozenset(works.split()),
            open=frozenset(open.split()),
            needs_root=needs_root,
            skip=frozenset(skip.split()),
        )
    )


# ---------------------------------------------------------------------------------------------------- reading files
_add("read a private key", "return open(SECRET).read() == 'key'", "off seccomp")
_add("read it by os.open", "return os.read(os.open(SECRET, os.O_RDONLY), 9) == b'key'", "off seccomp")
_add("read /etc/passwd", "return 'root' in open('/etc/passwd').read()", "off seccomp")
_add("read another task's deck", "return open(OTHER_DECK, 'rb').read(2) == b'PK'", "off seccomp")
_add("open it with python-pptx", "import pptx; return pptx.Presentation(OTHER_DECK)", "off seccomp")
_add(
    "read through a way around",
    "return open(os.path.join(FOLDER, 'graded', '..', 'home', 'key')).read()",
    "off seccomp",
)
_add("read through /proc/self/root", "return open('/proc/self/root' + SECRET).read()", "off", open="seccomp off")
_add(
    "read by descriptor of the path",
    """
fd = os.open(SECRET, os.O_PATH)
return os.read(os.open(f'/proc/self/fd/{fd}', os.O_RDONLY), 9)
""",
    "off",
    open="seccomp off",
)
_add("list the home folder", "return os.listdir(HOME)", "off seccomp")
_add("list the folder of the graded deck", "return os.listdir(os.path.dirname(GRADED))", "off seccomp")
_add("list /", "return os.listdir('/')", "off seccomp")
_add("read pytest's environment", "return b'sk-secret' in open(f'/proc/{HOST}/environ', 'rb').read()", privilege=True)
_add("read pytest's memory map", "return open(f'/proc/{HOST}/maps').read()", privilege=True)
_add("read the keeper's memory", "return open(f'/proc/{os.getppid()}/mem', 'rb')", open="off", privilege=True)
_add("read the process table", "return open(f'/proc/{VICTIM}/cmdline').read()", "off seccomp")
# Names, sizes, times and links' targets can be seen where the path is known: a documented gap, no right of Landlock's
# covers it.
_add(
    "see what a link points to",
    "return os.readlink(os.path.join(FOLDER, 'pictures', 'file')) == SECRET",
    "off seccomp landlock old full",
)
_add("see that a file exists", "return os.stat(SECRET).st_size == 3", "off seccomp landlock old full")

# ------------------------------------------------------------------------------------------------ changing files
_add("write over the graded deck", "open(GRADED, 'wb').write(b'x'); return True")
_add("append to the graded deck", "open(GRADED, 'ab').write(b'x'); return True")
_add("empty it by opening", "os.close(os.open(GRADED, os.O_RDONLY | os.O_TRUNC)); return os.path.getsize(GRADED) == 0")
_add("empty it by truncate", "os.truncate(GRADED, 0); return True")
_add(
    "map it for writing",
    """
import mmap
fd = os.open(GRADED, os.O_RDWR)
mmap.mmap(fd, 0)[0:1] = b'x'
return True
""",
)
_add("delete the graded deck", "os.unlink(GRADED); return True")
_add("rename the graded deck", "os.rename(GRADED, GRADED + '.old'); return True")
_add("replace the graded deck", "os.replace(ORIGINAL, GRADED); return True")
_add("link to the graded deck", "os.link(GRADED, GRADED + '.link'); return True")
_add("chmod the graded deck", "os.chmod(GRADED, 0o640); return True", "off landlock")
_add("fchmod the graded deck", "os.fchmod(os.open(GRADED, os.O_RDONLY), 0o640); return True", "off landlock")
_add("change its times", "os.utime(GRADED, (1, 1)); return True", "off landlock")
_add("chown it", "os.chown(GRADED, -1, os.getgid()); return True", "off landlock")
_add("give it an attribute", "os.setxattr(GRADED, 'user.mark', b'x'); return True", "off landlock", open="off landlock")
_add("write into the home folder", "open(os.path.join(HOME, 'new'), 'w').write('x'); return True")
_add("write over a private file", "open(SECRET, 'w').write('x'); return True")
_add(
    "write into the current folder",
    "open('ppteval-escape', 'w').write('x'); os.unlink('ppteval-escape'); return True",
    needs_root=True,
)
_add(
    "write into the temporary folder",
    """
import tempfile
with tempfile.NamedTemporaryFile('w') as file:
    return file.name
""",
)
_add(
    "write into /dev/shm",
    """
open(f'/dev/shm/ppteval-escape-{os.getpid()}', 'w')
os.unlink(f'/dev/shm/ppteval-escape-{os.getpid()}')
return True
""",
)
_add(
    "write into site-packages",
    """
path = os.path.join(SITE, f'ppteval_escape_{os.getpid()}.py')
open(path, 'w')
os.unlink(path)
return True
""",
    needs_root=True,
)
_add("make a folder", "os.mkdir(os.path.join(HOME, 'new')); return True")
_add("make a symbolic link", "os.symlink('/etc', os.path.join(HOME, 'new')); return True")
_add("make a fifo", "os.mkfifo(os.path.join(HOME, 'new')); return True")
_add(
    "make a device",
    "os.mknod(os.path.join(HOME, 'new'), 0o020600, os.makedev(1, 3)); return True",
    needs_root=True,
    open="off",
)
_add("make a Unix socket", "socket.socket(socket.AF_UNIX).bind(os.path.join(HOME, 'new')); return True")
_add(
    "append by the old call",
    "return X86 and os.write(call(2, GRADED.encode(), 0o2001), b'x')",
)
_add("empty it by creat", "return X86 and call(85, GRADED.encode(), 0o600)")
_add("remove a folder", "os.rmdir(os.path.join(FOLDER, 'empty')); return True")

# -------------------------------------------------------------------------------------------------------- network
_add("connect by TCP", "return socket.create_connection(('127.0.0.1', TCP_PORT), 1)")
_add("listen on TCP", "s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(); return True")
_add(
    "send by UDP", "return socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', UDP_PORT))", "off landlock"
)
_add("connect by TCP over IPv6", "return socket.socket(socket.AF_INET6)", "off landlock", open="off landlock")
_add(
    "connect to a Unix socket",
    """
s = socket.socket(socket.AF_UNIX)
s.connect(UNIX_PATH)
return True
""",
    "off landlock",
    open="landlock",
)
_add(
    "connect to an abstract socket",
    """
s = socket.socket(socket.AF_UNIX)
s.connect(ABSTRACT)
return True
""",
)
_add("open a netlink socket", "return socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)", "off landlock")
_add("open a vsock", "return socket.socket(40, socket.SOCK_STREAM)", "off landlock", open="off landlock")
_add("make a datagram pair", "return socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)", "off landlock")

# ------------------------------------------------------------------------------------------------------- programs
_add("start a program", "import subprocess; return subprocess.run(['/bin/echo', 'hi'], check=True)")
# The file at its path is one that a leaf may read: the right to run it is another.
_add("start a program that it may read", "import subprocess; return subprocess.run([LOADER, '--version']).args")
_add("start a shell", "return os.system('exit 7') == 7 << 8")
_add("become a program", "os.execv('/bin/sh', ['sh', '-c', 'exit 77'])")
_add("spawn a program", "return os.posix_spawn('/bin/true', ['true'], {})")
_add(
    "run a program from memory",
    """
fd = os.memfd_create('x', 0)
os.write(fd, b'#!/bin/sh\\nexit 0\\n')
pid = os.fork()
if not pid:
    os.execve(fd, ['x'], {})
return os.waitpid(pid, 0)[1] == 0
""",
    "off",
    open="off landlock",
)
_add(
    "fork",
    """
pid = os.fork()
if not pid:
    os._exit(0)
return pid > 0  # to wait for it is another call
""",
    "off landlock",
)
_add(
    "fork by the bare call",
    """
pid = call(57 if X86 else 220, 0 if X86 else 17)
if not pid:
    os._exit(0)
return pid > 0
""",
    "off landlock",
)
_add(
    "fork by clone3",
    """
import struct
pid = call(435, struct.pack('8Q', 0, 0, 0, 0, 17, 0, 0, 0), 64)
if not pid:
    os._exit(0)
return pid > 0
""",
    "off landlock",
)
_add(
    "become a program by execveat",
    """
import ctypes
words = (ctypes.c_char_p * 4)(b'sh', b'-c', b'exit 77', None)
call(322 if X86 else 281, -100, b'/bin/sh', ctypes.byref(words), ctypes.byref((ctypes.c_char_p * 1)(None)), 0)
""",
)
_add(
    "use multiprocessing",
    """
import multiprocessing
process = multiprocessing.get_context('fork').Process(target=int)
process.start()
return process.pid
""",
    "off landlock",
)

# ---------------------------------------------------------------------------------------------- other processes
_add("kill a process", "os.kill(VICTIM, 9); return True")
_add("signal pytest", "os.kill(HOST, 0); return True")
_add("signal the keeper", "os.kill(os.getppid(), 0); return True")
_add("signal a group", "os.killpg(os.getpgid(VICTIM), 0); return True")
_add("signal by tgkill", "return call(234 if X86 else 131, VICTIM, VICTIM, 0) == 0")
_add("signal by tkill", "return call(200 if X86 else 130, VICTIM, 0) == 0")
_add(
    "signal with a value",
    """
import struct
return call(129 if X86 else 138, VICTIM, 0, struct.pack('iiii', 0, 0, -1, 0) + bytes(112)) == 0
""",
)
_add(
    "own another's signals",
    "import fcntl; return fcntl.fcntl(os.pipe()[0], fcntl.F_SETOWN, VICTIM) == 0",
    "off landlock",
)
_add("open a process by pidfd", "return os.pidfd_open(VICTIM)", "off landlock")
_add("trace a process", "return call(101 if X86 else 117, 0x4206, VICTIM, 0, 0) == 0", "off", open="off")
_add(
    "read a process's memory",
    """
import ctypes
class Piece(ctypes.Structure):
    _fields_ = [('base', ctypes.c_void_p), ('size', ctypes.c_size_t)]
buffer = ctypes.create_string_buffer(8)
here, there = Piece(ctypes.addressof(buffer), 8), Piece(ADDRESS, 8)
return call(310 if X86 else 270, VICTIM, ctypes.byref(here), 1, ctypes.byref(there), 1, 0) == 8
""",
    "off",
    open="off",
)
_add(
    "limit a process",
    """
import resource
soft, hard = resource.prlimit(VICTIM, resource.RLIMIT_NOFILE)
resource.prlimit(VICTIM, resource.RLIMIT_NOFILE, (max(soft - 1, 10), hard))
return True
""",
    "off landlock",
)
_add("renice a process", "os.setpriority(os.PRIO_PROCESS, VICTIM, 19); return True", "off", open="landlock")
_add(
    "bind a process to a processor",
    "os.sched_setaffinity(VICTIM, {min(os.sched_getaffinity(0))}); return True",
    "off",
    open="landlock",
)

# --------------------------------------------------------------------------------------------------- privileges
_add("become another user", "os.setuid(65533); return True", needs_root=True, privilege=True)
_add("make a user namespace", "return call(272 if X86 else 97, 0x10000000) == 0", "off landlock", open="off landlock")
_add(
    "mount",
    "return call(165 if X86 else 40, b'none', os.path.join(FOLDER, 'empty').encode(), b'tmpfs', 0, 0) == 0",
    "",
    skip="off",
)  # no canary: it would last
_add("change the root", "os.chroot(FOLDER); return True", needs_root=True, privilege=True)
_add(
    "raise a limit",
    """
import resource
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (hard + 1, hard + 1))
return True
""",
    open="off",
)
_add(
    "raise the memory limit",
    """
import resource
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
return True
""",
    open="off",
)
_add(
    "take back capabilities",
    """
import struct
head, data = struct.pack('Ii', 0x20080522, 0), struct.pack('6I', 0xFFFFFFFF, 0xFFFFFFFF, 0, 0x1FF, 0x1FF, 0)
return call(126 if X86 else 91, head, data) == 0
""",
    open="off",
    privilege=True,
)
_add("be dumpable again", "return call(157 if X86 else 167, 4, 1) == 0", "off landlock")
_add("set a hostname", "socket.sethostname(socket.gethostname()); return True", needs_root=True, privilege=True)

# ------------------------------------------------------------------------------- what is counted for the user, not here
_add(
    "put descriptors on their way",
    "here, there = socket.socketpair(); return socket.send_fds(here, [b'x'], [0] * 9)",
    "off landlock",
)
_add(
    "make a timer",
    "return call(222 if X86 else 107, 1, 0, bytes(8)) == 0",
    "off landlock",
)
_add("lock the deck", "import fcntl; fcntl.flock(os.open(GRADED, os.O_RDONLY), 2); return True", "off landlock")
_add(
    "lock a part of it",
    "import fcntl; fcntl.lockf(os.open(GRADED, os.O_RDONLY), fcntl.LOCK_SH | fcntl.LOCK_NB, 1); return True",
    "off landlock",
)
_add("size a pipe", "import fcntl; return fcntl.fcntl(os.pipe()[0], 1031, 1 << 20) > 0", "off landlock")
_add(
    "set a socket's option",
    "socket.socketpair()[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20); return True",
    "off landlock",
)
_add(
    "make shared memory",
    """
shared = call(29 if X86 else 194, 0, 4096, 0o600)
call(31 if X86 else 195, shared, 0, 0)
return True
""",
    "off landlock",
)
# One attempt a limit: whether the process has more than the sandbox gives.
for _limit, _most in {
    "AS": 2 << 30, "CORE": 0, "CPU": 61, "FSIZE": 32 << 20, "MEMLOCK": 0, "MSGQUEUE": 0, "NOFILE": 64, "SIGPENDING": 64
}.items():  # fmt: skip
    _add(
        f"have more than the limit of {_limit}",
        f"import resource; return not 0 <= resource.getrlimit(resource.RLIMIT_{_limit})[1] <= {_most}",
        "",
        privilege=True,
    )

# ------------------------------------------------------------------------------------------ corners of the kernel
_add("io_uring", "return call(425, 4, b'\\0' * 120)", "off landlock", open="off landlock")
_add("bpf", "return call(321 if X86 else 280, 0, b'\\0' * 120, 120)", "", open="off landlock")
_add("perf events", "return call(298 if X86 else 241, b'\\0' * 120, 0, -1, -1, 0)", "", open="off landlock")
_add("userfaultfd", "return call(323 if X86 else 282, 0)", "off landlock", open="off landlock")
_add(
    "the key ring",
    "return call(248 if X86 else 217, b'user', b'ppteval', b'x', 1, -1)",
    "off landlock",
    open="off landlock",
)
_add("memory as a file", "return os.memfd_create('x') > 0", "off landlock")
_add(
    "type into a terminal",
    """
import errno, fcntl, termios
try:
    fcntl.ioctl(0, termios.TIOCSTI, b'x')
except OSError as error:
    return error.errno == errno.ENOTTY  # the kernel has looked at it; there is none
return True
""",
    "off landlock",
)
_add(
    "command a device",
    """
import errno, fcntl
try:
    fcntl.ioctl(os.open('/dev/null', os.O_RDONLY), 0x1234)
except OSError as error:
    return error.errno == errno.ENOTTY
""",
    open="landlock",  # from Landlock's fifth version on it is refused
)
_add(
    "x32 system calls",
    """
import errno
try:
    return call(0x40000000 | 39) > 0
except OSError as error:
    return error.errno == errno.ENOSYS  # allowed, but this kernel has none
""",
    "off landlock",
)
_add("watch files", "return call(294 if X86 else 26, 0) > 0", "off landlock")
_add(
    "open by handle",
    """
import ctypes, struct
handle, mount = ctypes.create_string_buffer(struct.pack('Ii', 128, 0) + bytes(128)), ctypes.c_int()
return call(303 if X86 else 264, -100, SECRET.encode(), handle, ctypes.byref(mount), 0) == 0
""",
    "off landlock",
    open="off landlock",
)
_add(
    "32-bit system calls",
    """
import ctypes, mmap
if not X86:
    raise OSError
page = mmap.mmap(-1, 4096, prot=7)
page.write(b'\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3')  # mov eax, 20; int 0x80; ret: getpid
get = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
return get() == os.getpid()
""",
    "off landlock",
    open="off landlock",
)
_add(
    "start hundreds of threads",
    """
import threading
threading.stack_size(65536)
stop = threading.Event()
try:
    for _ in range(200):
        threading.Thread(target=stop.wait, daemon=True).start()
except RuntimeError:
    return False
return True
""",
    "off weak landlock",
    privilege=True,
)
_add(
    "find a descriptor that was left open",
    """
found = []
for fd in range(3, 1024):
    try:
        mode = os.fstat(fd).st_mode
    except OSError:
        continue
    import stat
    if not stat.S_ISSOCK(mode):
        found.append(fd)
sockets = [fd for fd in range(3, 1024) if is_socket(fd)]
return found or len(sockets) != 1
""",
    "",
    privilege=True,
)  # no level leaves any


@dataclass(frozen=True)
class Abuse:
    """A way to misbehave, with what comes of it at any level: status, and what the reason begins with."""

    name: str
    body: str
    status: Literal["scored", "error", "unscored"]
    reason: str
    violation: bool = False


_SENDS = "channel = socket.socket(fileno=[fd for fd in range(3, 64) if is_socket(fd)][0])\n"
_FORGE = (
    _SENDS + "def forge(text, size=None):\n"
    "    data = text.encode()\n"
    "    channel.sendall((len(data) if size is None else size).to_bytes(4, 'big') + data)\n"
    "    import time; time.sleep(60)\n"
)
ABUSES = [
    Abuse("nothing but noise", _SENDS + "channel.sendall(b'\\xff' * 5000)", "error", "sandbox violation: a message of",
          True),
    Abuse("a pickle", _FORGE + "forge(\"cos\\nsystem\\n(S'touch /tmp/x'\\ntR.\")", "error",
          "sandbox violation: a message that is not JSON", True),
    Abuse("half a message", _FORGE + "forge('{', 100)", "error", "no answer within"),
    Abuse("a message of 4 GB", _FORGE + "forge('', 0xFFFFFFFF)", "error", "sandbox violation: a message of 4294967295",
          True),
    Abuse("deep JSON", _FORGE + "forge('[' * 100_000)", "error", "sandbox violation: a message that is not JSON", True),
    Abuse("no object", _FORGE + "forge('[1]')", "error", "sandbox violation: a message without a type", True),
    Abuse("an unknown type", _FORGE + "forge('{\"t\":\"shell\"}')", "error",
          "sandbox violation: a message of type", True),
    Abuse("a score of 7", _FORGE + "forge('{\"t\":\"result\",\"score\":7.0,\"reason\":\"\"}')", "error",
          "sandbox violation: score 7.0", True),
    Abuse("a score that is no number", _FORGE + "forge('{\"t\":\"result\",\"score\":NaN,\"reason\":\"\"}')", "error",
          "sandbox violation: a message that is not JSON", True),
    Abuse("a score of infinity", _FORGE + "forge('{\"t\":\"result\",\"score\":1e999,\"reason\":\"\"}')", "error",
          "sandbox violation: score inf", True),
    Abuse("a score of truth", _FORGE + "forge('{\"t\":\"result\",\"score\":true,\"reason\":\"\"}')", "error",
          "sandbox violation: score True", True),
    Abuse("a reason that is no text", _FORGE + "forge('{\"t\":\"result\",\"score\":1,\"reason\":[]}')", "error",
          "sandbox violation: a reason that is no text", True),
    Abuse("a picture it was not given", _FORGE
          + "forge('{\"t\":\"call\",\"kind\":\"vlm\",\"prompt\":\"\",\"images\":[{\"path\":\"/etc/passwd\"}]}')",
          "error", "sandbox violation: vlm_call was given '/etc/passwd'", True),
    Abuse("a malformed call", _FORGE + "forge('{\"t\":\"call\",\"kind\":\"vlm\",\"prompt\":1,\"images\":[]}')", "error",
          "sandbox violation: a malformed model call", True),
    Abuse("a call of an unknown kind", _FORGE + "forge('{\"t\":\"call\",\"kind\":\"eval\",\"prompt\":\"\"}')", "error",
          "sandbox violation: a model call of an unknown kind", True),
    Abuse("a claim to lines that don't exist", _FORGE
          + "forge('{\"t\":\"error\",\"why\":\"x\",\"frames\":[[-1,\"a\"],[99999999,\"b\"],[1e400,2],\"c\"]}')",
          "error", "x"),
    Abuse("silence", _SENDS + "channel.close()\nimport time; time.sleep(60)", "error",
          "sandbox violation: it closed its channel", True),
    Abuse("a flood of output", "for _ in range(4096): os.write(1, b'x' * (1 << 20))", "scored",
          "refused: OSError: [Errno 27]"),
    Abuse("a flood of descriptors", "kept = [os.dup(0) for _ in range(100_000)]", "scored",
          "refused: OSError: [Errno 24]"),
    Abuse("a flood of timers", """
for _ in range(100_000): call(222 if X86 else 107, 1, 0, bytes(8))
""", "scored", "refused: "),
    Abuse("a flood of signals", """
import signal, threading
signal.pthread_sigmask(signal.SIG_BLOCK, {40})
for _ in range(100_000): signal.pthread_kill(threading.get_ident(), 40)
""", "scored", "refused: BlockingIOError: [Errno 11]"),
    Abuse("a flood of threads", """
import threading, time
for _ in range(100_000):
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
""", "error", "RuntimeError: can't start new thread"),
    Abuse("a flood of memory", "import mmap; kept = [mmap.mmap(-1, 1 << 28) for _ in range(100)]", "scored",
          "refused: OSError: [Errno 12]"),
    Abuse("endless recursion in C", """
import sys
sys.setrecursionlimit(1 << 30)
def f(): return f()
f()
""", "error", ""),
    Abuse("an endless loop", "while True: pass", "error", "no answer within"),
    Abuse("a slow pattern", "import re; re.match('(a+)+$', 'a' * 64 + 'b')", "error", "no answer within"),
    Abuse("sleep", "import time; time.sleep(1000)", "error", "no answer within"),
    Abuse("a segmentation fault", "import ctypes; ctypes.string_at(0)", "error", "killed by SIGSEGV"),
    Abuse("abort", "os.abort()", "error", "killed by SIGABRT"),
    Abuse("exit without a word", "os._exit(0)", "error", "exit code 0 without a result"),
]  # fmt: skip
