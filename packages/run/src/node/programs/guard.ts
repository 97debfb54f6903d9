/**
 * Numbers that the guard of a program shares with the thread that asks the program. asking: 1 while an answer is
 * awaited. late: 1 if the guard ended the program at its time limit. left: processes that the program left.
 */
export const cells = { state: 0, code: 1, signal: 2, pid: 3, asking: 4, late: 5, left: 6 } as const

/** Values of the cell `state`. */
export const states = { starting: 0, running: 1, ended: 2 } as const

/** Values that the guard gets at its start. */
export interface Guarded {
  readonly command: string
  /** Value of the environment variable `CLOISTER_PROGRAM`, by which the guard finds all processes of the program. */
  readonly token: string
  /** Standard input and output of the program, and the end of a pipe by which the guard wakes the asking thread. */
  readonly files: { readonly input: number; readonly output: number; readonly wake: number }
  readonly numbers: Int32Array
  /** Instant until which an answer must come, in ms of `performance.timeOrigin + performance.now()`. */
  readonly until: Float64Array
  readonly cells: typeof cells
  readonly states: typeof states
}

/**
 * Starts a program in a process group of its own, ends the group at the time limit of an answer, and ends all processes
 * of the program after the program. The function runs in a thread of its own, because the asking thread is blocked
 * while it waits for an answer. The thread gets the function as text, so the function uses only its parameters.
 */
export function guard(
  { workerData, parentPort }: typeof import('node:worker_threads'),
  { spawn }: typeof import('node:child_process'),
  { readdirSync, readFileSync, writeSync }: typeof import('node:fs'),
  { constants }: typeof import('node:os'),
  { performance }: typeof import('node:perf_hooks'),
): void {
  const { command, token, files, numbers, until, cells: cell, states: state } = workerData as Guarded
  const kill = (pid: number): void => {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // The process or the group has ended.
    }
  }
  const enter = (now: number): void => {
    Atomics.store(numbers, cell.state, now)
    Atomics.notify(numbers, cell.state)
  }
  const end = (): void => {
    // The asking thread may be blocked in a read: a process that left the group may still hold the pipe open. The
    // thread closes the pipe after `ended`, so the line comes first.
    try {
      writeSync(files.wake, '\n')
    } catch {
      // The pipe is full, so that no read is blocked.
    }
    enter(state.ended)
    parentPort!.close()
  }
  // A second process of the group waits for the end of Cloister, and then ends the group: the program must not outlive
  // a Cloister that was killed. The program itself replaces the shell.
  const script = `( (read _ <&3; sleep 1; kill -KILL 0) </dev/null >/dev/null 2>&1 3<&3 & ) ; exec 3<&- ; eval "exec $1"`
  const child = spawn('/bin/sh', ['-c', script, 'cloister-program', command], {
    stdio: [files.input, files.output, 'inherit', 'pipe'],
    detached: true,
    env: { ...process.env, CLOISTER_PROGRAM: token },
  })
  child.stdio[3]?.on('error', () => {})
  const clock = setInterval(() => {
    const isLate = performance.timeOrigin + performance.now() > until[0]
    if (!isLate || Atomics.load(numbers, cell.asking) === 0 || child.pid === undefined) return
    Atomics.store(numbers, cell.late, 1)
    kill(-child.pid)
  }, 20)
  const counted = new Set<string>()
  /** Kills the processes whose environments have the token, and returns true if there was one. Works on Linux only. */
  const endFurther = (): boolean => {
    let pids: Array<string> = []
    try {
      pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
    } catch {
      return false
    }
    let found = false
    for (const pid of pids) {
      try {
        if (!readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`CLOISTER_PROGRAM=${token}`)) continue
        found = true
        const isOurs = readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('\0cloister-program\0')
        if (!isOurs && !counted.has(pid)) Atomics.add(numbers, cell.left, 1)
        counted.add(pid)
        kill(Number(pid))
      } catch {
        // The process has ended, or belongs to another user.
      }
    }
    return found
  }
  /** A killed process of a busy machine goes on until its turn. Waits until no process is left, at most 0.4 s. */
  const endAll = (): void => {
    const asleep = new Int32Array(new SharedArrayBuffer(4))
    for (let round = 0; endFurther() && round < 80; round++) Atomics.wait(asleep, 0, 0, 5)
  }
  child.once('error', () => {
    clearInterval(clock)
    end()
  })
  child.once('exit', (code, signal) => {
    clearInterval(clock)
    Atomics.store(numbers, cell.code, code ?? -1)
    Atomics.store(numbers, cell.signal, signal === null ? 0 : constants.signals[signal])
    endAll()
    kill(-child.pid!)
    child.stdio[3]?.destroy()
    end()
  })
  Atomics.store(numbers, cell.pid, child.pid ?? 0)
  if (child.pid !== undefined) enter(state.running)
}
