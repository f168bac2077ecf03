"""The system calls that a boxed bot may not make, or only in part, and their numbers.

Everything else is allowed: a deny-list, since what the runtimes of many languages need is long
and changes. What is newer than this list is denied as unknown (`NEWEST`).
"""

DENIED: dict[str, tuple[str, ...]] = {
    name: tuple(calls.split())
    for name, calls in {
        # A bot is one process; threads are clone with CLONE_THREAD, see `seccomp`.
        "processes": "fork vfork",
        "network": "socket bind connect listen accept accept4",
        # What two processes can tell each other by files that both only read.
        "locks and watches": "flock inotify_init inotify_init1 inotify_add_watch inotify_rm_watch"
        " fanotify_init fanotify_mark",
        "page cache": "mincore cachestat",
        # Shared memory is none of RLIMIT_DATA's, so that of one process is refused as well.
        "shared objects": "shmget shmat shmctl shmdt semget semop semctl semtimedop msgget msgsnd"
        " msgrcv msgctl mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr"
        " memfd_create memfd_secret",
        "other processes": "ptrace process_vm_readv process_vm_writev kcmp process_madvise"
        " process_mrelease pidfd_open pidfd_getfd pidfd_send_signal migrate_pages move_pages",
        # A bot stays on its core, with the priority that it has.
        "scheduling": "sched_setaffinity sched_setscheduler sched_setparam sched_setattr"
        " setpriority ioprio_set",
        # Large parts of the kernel that no bot needs.
        "kernel": "keyctl add_key request_key bpf perf_event_open userfaultfd io_uring_setup"
        " io_uring_enter io_uring_register",
        "mounts": "mount umount2 pivot_root chroot move_mount open_tree open_tree_attr fsopen"
        " fsconfig fsmount fspick mount_setattr statmount listmount unshare setns"
        " open_by_handle_at name_to_handle_at quotactl quotactl_fd swapon swapoff",
        # sysinfo tells the load and the free memory, which twins can modulate.
        "machine": "sysinfo personality modify_ldt syslog acct reboot sethostname setdomainname"
        " init_module finit_module delete_module kexec_load kexec_file_load iopl ioperm"
        " settimeofday clock_settime clock_adjtime adjtimex vhangup",
    }.items()
}

DENIED_WITHOUT_NAMESPACES: tuple[str, ...] = (
    # Landlock does not cover what a file's owner may do to it, nor truncate in its first versions.
    *("chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat"),
    *("utime", "utimes", "futimesat", "utimensat", "truncate", "ftruncate", "file_setattr"),
    *("setxattr", "lsetxattr", "fsetxattr", "setxattrat"),
    *("removexattr", "lremovexattr", "fremovexattr", "removexattrat"),
    "tkill",
)

NEWEST = 470
"""The newest number that this list was made with; the newer ones are the same everywhere."""

# name x86_64 aarch64
_NUMBERS = """
accept 43 202           accept4 288 242         acct 163 89             add_key 248 217
adjtimex 159 171        bind 49 200             bpf 321 280             cachestat 451 451
chmod 90 -              chown 92 -              chroot 161 51           clock_adjtime 305 266
clock_settime 227 112   clone 56 220            clone3 435 435          connect 42 203
delete_module 176 106   fadvise64 221 223       fanotify_init 300 262   fanotify_mark 301 263
fchmod 91 52            fchmodat 268 53         fchmodat2 452 452       fchown 93 55
fchownat 260 54         fcntl 72 25             file_setattr 469 469    finit_module 313 273
flock 73 32             fork 57 -               fremovexattr 199 16     fsconfig 431 431
fsetxattr 190 7         fsmount 432 432         fsopen 430 430          fspick 433 433
ftruncate 77 46         futimesat 261 -         init_module 175 105     inotify_add_watch 254 27
inotify_init 253 -      inotify_init1 294 26    inotify_rm_watch 255 28 io_uring_enter 426 426
io_uring_register 427 427                       io_uring_setup 425 425  ioctl 16 29
ioperm 173 -            iopl 172 -              ioprio_set 251 30       kcmp 312 272
kexec_file_load 320 294 kexec_load 246 104      keyctl 250 219          kill 62 129
lchown 94 -             listen 50 201           listmount 458 458       lremovexattr 198 15
lsetxattr 189 6         madvise 28 233          memfd_create 319 279    memfd_secret 447 447
migrate_pages 256 238   mincore 27 232          mmap 9 222              modify_ldt 154 -
mount 165 40            mount_setattr 442 442   move_mount 429 429      move_pages 279 239
mq_getsetattr 245 185   mq_notify 244 184       mq_open 240 180         mq_timedreceive 243 183
mq_timedsend 242 182    mq_unlink 241 181       msgctl 71 187           msgget 68 186
msgrcv 70 188           msgsnd 69 189           name_to_handle_at 303 264
open_by_handle_at 304 265                       open_tree 428 428       open_tree_attr 467 467
perf_event_open 298 241 personality 135 92      pidfd_getfd 438 438     pidfd_open 434 434
pidfd_send_signal 424 424                       pivot_root 155 41       prctl 157 167
preadv2 327 286         prlimit64 302 261       process_madvise 440 440 process_mrelease 448 448
process_vm_readv 310 270                        process_vm_writev 311 271
ptrace 101 117          pwritev2 328 287        quotactl 179 60         quotactl_fd 443 443
readahead 187 213       reboot 169 142          removexattr 197 14      removexattrat 466 466
request_key 249 218     rt_sigqueueinfo 129 138 rt_tgsigqueueinfo 297 240
sched_setaffinity 203 122                       sched_setattr 314 274   sched_setparam 142 118
sched_setscheduler 144 119                      semctl 66 191           semget 64 190
semop 65 193            semtimedop 220 192      setdomainname 171 162   sethostname 170 161
setns 308 268           setpriority 141 140     settimeofday 164 170    setxattr 188 5
setxattrat 463 463      shmat 30 196            shmctl 31 195           shmdt 67 197
shmget 29 194           socket 41 198           socketpair 53 199       statmount 457 457
swapoff 168 225         swapon 167 224          sysinfo 99 179          syslog 103 116
tgkill 234 131          tkill 200 130           truncate 76 45          umount2 166 39
unshare 272 97          userfaultfd 323 282     utime 132 -             utimensat 280 88
utimes 235 -            vfork 58 -              vhangup 153 58
"""


def numbers(machine: str) -> dict[str, int]:
    """The numbers by name on a machine as `os.uname` calls it; empty if it is not known."""
    column = {"x86_64": 1, "aarch64": 2}.get(machine)
    if column is None:
        return {}
    words = _NUMBERS.split()
    rows = zip(words[::3], words[1::3], words[2::3], strict=True)
    return {row[0]: int(row[column]) for row in rows if row[column] != "-"}
