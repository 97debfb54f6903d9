import { spawnSync } from 'node:child_process'
import { closeSync, constants as fs, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { Worker } from 'node:worker_threads'
import { cells, guard, type Guarded, states } from './guard.ts'
import { now, type TimeLeft } from './time-limit.ts'

/** Failure of a program, in the form in which the scheduler records failures of policies. */
export interface ProgramFault {
  /** throws: the program ended. answer: a message has no valid form. time: the program gave no answer in time. */
  readonly code: 'throws' | 'answer' | 'time'
  readonly reason: string
  /** Time limit in ms; only for the code `time`. */
  readonly limit?: number
}

/** Error for a program that failed. `fault` is the failure in the form in which the scheduler records it. */
export class ProgramError extends Error {
  override readonly name: string = 'ProgramError'
  readonly fault: ProgramFault

  constructor(fault: ProgramFault) {
    super(fault.reason)
    this.fault = fault
  }
}

/** Most bytes of a line. */
const LONGEST_LINE = 2 ** 24
/** Time in ms that a program gets to end by itself after the end of its input, and that the end may take. */
const FAREWELL_MS = 500
/** Most characters of a program's message in an error. */
const SHOWN = 200

// The conformance suite replaces `process` for policies, and the channel runs within calls of policies.
const kill = process.kill.bind(process)

/**
 * Running program, with lines of text in both directions. `ask` blocks the calling thread, because the scheduler asks
 * policies in the middle of a step. A second thread guards the program: it ends the program at the time limit.
 */
export class Channel {
  readonly #numbers = new Int32Array(new SharedArrayBuffer(4 * Object.keys(cells).length))
  readonly #until = new Float64Array(new SharedArrayBuffer(8))
  readonly #input: number
  readonly #output: number
  readonly #wake: number
  readonly #buffer = Buffer.allocUnsafe(2 ** 16)
  /** Received bytes of a line that is not complete. */
  #partial: Array<Buffer> = []
  readonly #lines: Array<string> = []
  #last: string | undefined
  #limit = 0
  #failed: ProgramError | undefined
  readonly #atExit = (): void => this.end()

  /** @param command command with its arguments, as in a POSIX shell after `exec` */
  constructor(command: string, token: string) {
    const { input, output, ofProgram } = openPipes()
    this.#input = input
    this.#output = output
    this.#wake = ofProgram.wake
    const shared = { numbers: this.#numbers, until: this.#until, cells, states }
    const workerData: Guarded = { command, token, files: ofProgram, ...shared }
    const modules = ['worker_threads', 'child_process', 'fs', 'os', 'perf_hooks'].map(
      (name) => `require('node:${name}')`,
    )
    const worker = new Worker(`(${guard.toString()})(${modules.join()})`, {
      eval: true,
      workerData,
      execArgv: [],
      trackUnmanagedFds: false,
    })
    worker.unref()
    Atomics.wait(this.#numbers, cells.state, states.starting)
    // The program has copies of both ends. Node tracks open files by thread, so this thread closes the ends.
    closeSync(ofProgram.input)
    closeSync(ofProgram.output)
    process.once('exit', this.#atExit)
  }

  get hasFailed(): boolean {
    return this.#failed !== undefined
  }

  /** Sends a line and returns the next line of the program. @throws ProgramError, at each later call again */
  ask(line: string, { left, limit }: TimeLeft): string {
    if (this.#failed !== undefined) throw this.#failed
    // An outer time limit has stopped an earlier call of `ask`.
    if (Atomics.load(this.#numbers, cells.asking) === 1) throw this.fail(this.#late())
    if (this.#isOver) throw this.fail(this.#ending())
    if (this.#lines.length > 0)
      throw this.fail({ code: 'answer', reason: `sent a line without a question: ${shown(this.#lines[0])}` })
    this.#limit = limit
    this.#until[0] = performance.timeOrigin + now() + left
    Atomics.store(this.#numbers, cells.asking, 1)
    this.#write(`${line}\n`)
    while (this.#lines.length === 0) this.#receive()
    Atomics.store(this.#numbers, cells.asking, 0)
    const answer = this.#lines.shift()!
    if (answer === '' && this.#hasEnded()) throw this.fail(this.#ending())
    return (this.#last = answer)
  }

  /** Ends the program with all its processes, and returns the error for its failure. */
  fail(fault: ProgramFault): ProgramError {
    const last = this.#last === undefined ? '' : `; its last message: ${shown(this.#last)}`
    this.#failed = new ProgramError({ ...fault, reason: `the program ${fault.reason}${last}` })
    this.#close(0)
    return this.#failed
  }

  /** Closes the input of the program, and kills all processes of the program if the program goes on. */
  end(): void {
    if (this.#failed !== undefined) return
    this.#failed = new ProgramError({ code: 'throws', reason: 'the program has ended' })
    this.#close(FAREWELL_MS)
    const left = Atomics.load(this.#numbers, cells.left)
    if (left > 0)
      process.stderr.write(`cloister: the program left ${left} of its own processes running; Cloister ended them\n`)
  }

  get #isOver(): boolean {
    return Atomics.load(this.#numbers, cells.state) === states.ended
  }

  /** Waits for the end of a program whose guard has just written an empty line. Returns false if the program runs. */
  #hasEnded(): boolean {
    if (!this.#isOver) Atomics.wait(this.#numbers, cells.state, states.running, FAREWELL_MS)
    return this.#isOver
  }

  /** @param patience time in ms that the program gets to end by itself */
  #close(patience: number): void {
    process.off('exit', this.#atExit)
    closeSync(this.#input)
    Atomics.wait(this.#numbers, cells.state, states.running, patience)
    const pid = Atomics.load(this.#numbers, cells.pid)
    if (!this.#isOver && pid > 0) {
      try {
        kill(-pid, 'SIGKILL')
      } catch {
        // The group has ended.
      }
      Atomics.wait(this.#numbers, cells.state, states.running, FAREWELL_MS)
    }
    closeSync(this.#output)
    if (this.#isOver) closeSync(this.#wake)
  }

  #write(text: string): void {
    const bytes = Buffer.from(text)
    try {
      for (let sent = 0; sent < bytes.length;) sent += writeSync(this.#input, bytes, sent)
    } catch {
      // The program has ended or closed its standard input. The wait for its answer finds the reason.
      if (!this.#hasEnded()) throw this.fail({ code: 'answer', reason: 'closed its standard input' })
    }
  }

  #receive(): void {
    const bytes = this.#buffer.subarray(0, readSync(this.#output, this.#buffer))
    let from = 0
    for (let to = bytes.indexOf(10); to >= 0; to = bytes.indexOf(10, from)) {
      this.#lines.push(this.#partialText() + bytes.toString('utf8', from, to))
      from = to + 1
    }
    if (from === bytes.length) return
    // The buffer is used again for the next read.
    this.#partial.push(Buffer.from(bytes.subarray(from)))
    if (this.#lines.length > 0 || 2 ** 16 * this.#partial.length < LONGEST_LINE) return
    if (this.#partial.reduce((sum, { length }) => sum + length, 0) > LONGEST_LINE)
      throw this.fail({ code: 'answer', reason: `sent a line of more than ${LONGEST_LINE} bytes` })
  }

  #partialText(): string {
    if (this.#partial.length === 0) return ''
    const text = Buffer.concat(this.#partial).toString('utf8')
    this.#partial = []
    return text
  }

  #late(): ProgramFault {
    return { code: 'time', reason: `gave no answer within ${this.#limit / 1000} s`, limit: this.#limit }
  }

  #ending(): ProgramFault {
    const cell = (at: number): number => Atomics.load(this.#numbers, at)
    if (cell(cells.late) === 1) return this.#late()
    const signal = Object.entries(constants.signals).find(([, number]) => number === cell(cells.signal))?.[0]
    const how = signal === undefined ? `ended with exit code ${cell(cells.code)}` : `was ended by the signal ${signal}`
    return { code: 'throws', reason: `${how} before its answer` }
  }
}

interface Pipes {
  /** Ends of the pipes for the asking thread: to write questions, and to read answers. */
  readonly input: number
  readonly output: number
  readonly ofProgram: Guarded['files']
}

/**
 * Opens two pipes. Node itself gives only pipes without blocking reads, so the pipes are FIFOs, whose names are removed
 * at once.
 */
function openPipes(): Pipes {
  const folder = mkdtempSync(join(tmpdir(), 'cloister-program-'))
  try {
    const [questions, answers] = [join(folder, 'questions'), join(folder, 'answers')]
    const { status, error } = spawnSync('mkfifo', ['-m', '600', questions, answers], { stdio: 'ignore' })
    if (error !== undefined || status !== 0)
      throw new ProgramError({ code: 'throws', reason: 'programs as policies need a POSIX system: mkfifo failed' })
    // A pipe that is open in both directions lets every further `open` return at once.
    const both = openSync(questions, 'r+')
    const wake = openSync(answers, fs.O_RDWR | fs.O_NONBLOCK)
    const files = {
      input: openSync(questions, 'w'),
      output: openSync(answers, 'r'),
      ofProgram: { input: openSync(questions, 'r'), output: openSync(answers, 'w'), wake },
    }
    closeSync(both)
    return files
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns a message of a program for an error: its first characters, without control characters. */
export function shown(text: string): string {
  const plain = JSON.stringify(text.slice(0, SHOWN)).slice(1, -1).replaceAll('\\"', '"')
  return text === '' ? 'an empty line' : text.length > SHOWN ? `${plain}…` : plain
}
