// The worker of the playground answers one question after the other. In the sandbox the same script runs a user's code.
import { auditLog } from '@cloister/audit'
import { type HashFunction, readLog } from '@cloister/eventlog'
import { computeMetrics } from '@cloister/metrics'
import {
  type AnyPolicy,
  attempt,
  builtIn,
  canonicalSpec,
  Hash,
  OptionError,
  Policies,
  run,
  RunFiles,
  Traces,
} from '@cloister/run'
import { fixedOffset, loadWorkloadFrom } from '@cloister/trace-io'
import { sha256 as noble } from '@noble/hashes/sha2.js'
import { Effect, Layer } from 'effect'
import { policies } from 'site:policies'
import { checkAsked } from './asked-run.ts'
import {
  type Answer,
  type AskedRun,
  type DroppedFile,
  type Examined,
  FILE,
  OWN_CODE,
  type Problem,
  type Question,
  type Simulated,
} from './setup.ts'

onmessage = async ({ data }: MessageEvent<Question>) => {
  postMessage(await answer(data).catch((error: unknown): Answer => ({ kind: 'problem', problem: problemOf(error) })))
}

async function answer(question: Question): Promise<Answer> {
  if (question.kind === 'simulate') return { kind: 'simulated', simulated: await simulate(question) }
  return { kind: 'examined', examined: await examine(question.log, question.asked) }
}

/** Returns message and place of an error. Stack frames with a `blob:` address have lines of the policy's code. */
function problemOf(error: unknown): Problem {
  const thrown = innermost(error)
  const message = error instanceof Error ? error.message : String(error)
  const [, line, column] = /blob:[^\s)]*?:(\d+):(\d+)/.exec(ownFrames(thrown)) ?? []
  return {
    message: message || 'the code failed without a message',
    line: line === undefined ? undefined : Number(line),
    column: column === undefined ? undefined : Number(column),
  }
}

function innermost(error: unknown): unknown {
  const cause = error instanceof Error ? error.cause : undefined
  return cause === undefined ? error : innermost(cause)
}

function ownFrames(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  return stack
    .split('\n')
    .filter((frame) => !frame.includes(self.location.href))
    .join('\n')
}

/** Synchronous SHA-256; the browser's own SHA-256 is asynchronous. */
const sha256: HashFunction = () => noble.create()

/** Simulates like `cloister simulate`. The only file that a run can read is the file of jobs from the user. */
async function simulate({ spec, file, code }: Extract<Question, { kind: 'simulate' }>): Promise<Simulated> {
  const from = performance.now()
  const own = code === undefined ? undefined : await policyOf(code)
  const log: Array<Uint8Array> = []
  const services = Layer.merge(await inputsOf(file), Layer.succeed(Policies, policiesWith(own)))
  const simulated = Effect.gen(function* () {
    const files = yield* RunFiles
    const checked = yield* attempt(() => canonicalSpec(spec, files))
    return yield* run(checked, { sink: (chunk) => log.push(chunk) })
  })
  const { totals } = await Effect.runPromise(Effect.provide(simulated, services))
  const bytes = new Uint8Array(await new Blob(log as Array<BlobPart>).arrayBuffer())
  return { log: bytes, jobs: totals.submitted, seconds: (performance.now() - from) / 1000 }
}

async function inputsOf(file: DroppedFile | undefined): Promise<Layer.Layer<RunFiles | Traces | Hash>> {
  const text = file === undefined ? undefined : await inflated(file.bytes)
  return Layer.mergeAll(filesOf, tracesOf(file, text), Layer.succeed(Hash, sha256))
}

const filesOf = Layer.succeed(RunFiles, {
  readText: (path) => {
    throw new OptionError({
      option: path,
      reason: 'the playground reads no file for this option; use the command line',
    })
  },
})

function tracesOf(file: DroppedFile | undefined, text: Uint8Array | undefined): Layer.Layer<Traces> {
  const opened = file && text && { file: file.name, text, sha256: hex(file.bytes) }
  return Layer.succeed(Traces, {
    load: (trace, { procsPerNode, sizes, arrivals, timeZone = 'UTC', ...options }) =>
      attempt(() => {
        if (trace.startsWith(FILE) && opened === undefined)
          throw new OptionError({
            option: 'trace',
            reason: 'choose the file with the jobs first: no link contains the file',
          })
        return loadWorkloadFrom({ open: () => opened, find: () => fetchIt() }, trace, {
          ...options,
          utcOffset: fixedOffset(timeZone),
          ...(procsPerNode === undefined ? {} : { procsPerNode }),
          ...(sizes === undefined ? {} : { sizes }),
          ...(arrivals === undefined ? {} : { arrivals }),
        })
      }, 'trace'),
  })
}

function fetchIt(): never {
  throw new OptionError({
    option: 'trace',
    reason: 'the playground fetches no job log; choose the file of the job log',
  })
}

/** Finds the built-in policies, and the user's own policy under the name `OWN_CODE`. */
function policiesWith(own: AnyPolicy | undefined): Policies['Service'] {
  return {
    find: (name) => {
      if (name === OWN_CODE && own !== undefined) return Effect.succeed({ policy: own, origin: 'your code' })
      const policy = policies.find((each) => each.name === name)
      if (policy !== undefined) return Effect.succeed({ policy, origin: builtIn })
      const known = policies.map((each) => each.name).join(', ')
      return Effect.fail(
        new OptionError({ option: 'policy', reason: `found ${JSON.stringify(name)}, expected one of ${known}` }),
      )
    },
  }
}

async function policyOf(code: string): Promise<AnyPolicy> {
  const url = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }))
  const { default: policy } = (await import(url)) as { readonly default?: AnyPolicy }
  if (policy === undefined || typeof policy.make !== 'function')
    throw new OptionError({
      option: 'code',
      reason: 'expected a policy as the default export of the code: export default …',
    })
  return policy
}

async function inflated(bytes: Uint8Array): Promise<Uint8Array> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream('gzip'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

function hex(bytes: Uint8Array): string {
  return [...noble(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Audits a log and computes the metrics of the log, also for a false log from a user's code.
 *
 * @param asked requested run, which the log must match; undefined for a log from a built-in policy
 * @throws Error if the log cannot be measured, or if the log does not match `asked`
 */
async function examine(log: Uint8Array, asked: AskedRun | undefined): Promise<Examined> {
  const from = performance.now()
  if (asked !== undefined)
    await checkAsked(log, asked.spec, sha256, await inputsOf(asked.file), policiesWith(undefined).find)
  const audit = auditLog([log], sha256)
  const metrics = computeMetrics(readLog([log], sha256))
  const stream = new Blob([log as BlobPart]).stream().pipeThrough(new CompressionStream('gzip'))
  const embedded = base64(new Uint8Array(await new Response(stream).arrayBuffer()))
  return { audit, metrics, embedded, seconds: (performance.now() - from) / 1000 }
}

function base64(bytes: Uint8Array): string {
  let text = ''
  // A call can only have a limited number of arguments, so `String.fromCharCode` gets the bytes in pieces.
  for (let at = 0; at < bytes.length; at += 2 ** 14) text += String.fromCharCode(...bytes.subarray(at, at + 2 ** 14))
  return btoa(text)
}
