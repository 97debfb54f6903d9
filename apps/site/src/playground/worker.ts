// The worker of the playground answers one question after the other. In the sandbox the same script runs a user's code.
import { auditLog } from '@cloister/audit'
import { type HashFunction, headerTopology, readLog } from '@cloister/eventlog'
import { computeMetrics } from '@cloister/metrics'
import {
  type AnyPolicy,
  attempt,
  builtIn,
  canonicalSpec,
  Hash,
  loadOptions,
  OptionError,
  Policies,
  PolicyFailedError,
  run,
  RunFiles,
  Traces,
} from '@cloister/run'
import { loadWorkloadFrom } from '@cloister/trace-io'
import { sha256 as noble } from '@noble/hashes/sha2.js'
import { Effect, Layer } from 'effect'
import { policies } from 'site:policies'
import { checkAsked } from './asked-run.ts'
import { type FaultState, faultAt } from './fault-state.ts'
import { type OwnPolicy, policyOf, problemOf } from './own-policy.ts'
import {
  type Answer,
  type AskedRun,
  type DroppedFile,
  type Examined,
  FILE,
  OUTAGES,
  OWN_CODE,
  type Question,
  type Simulated,
} from './setup.ts'

onmessage = async ({ data }: MessageEvent<Question>) => {
  postMessage(await answer(data).catch((error: unknown): Answer => ({ kind: 'problem', problem: problemOf(error) })))
}

async function answer(question: Question): Promise<Answer> {
  if (question.kind === 'simulate') return simulate(question)
  if (question.kind === 'examine') return { kind: 'examined', examined: await examine(question.log, question.asked) }
  throw new Error('the worker with the checks answers this question')
}

/** Synchronous SHA-256; the browser's own SHA-256 is asynchronous. */
const sha256: HashFunction = () => noble.create()

/**
 * Simulates like `cloister simulate`. The only files that a run can read are the file of jobs from the user, and the
 * list of failures. A fault of the policy has its request and its state.
 */
async function simulate({ asked, code }: Extract<Question, { kind: 'simulate' }>): Promise<Answer> {
  const from = performance.now()
  const own = code === undefined ? undefined : await policyOf(code)
  const log: Array<Uint8Array> = []
  const services = Layer.merge(await inputsOf(asked), Layer.succeed(Policies, policiesWith(own?.policy)))
  const simulated = Effect.gen(function* () {
    const files = yield* RunFiles
    const checked = yield* attempt(() => canonicalSpec(asked.spec, files))
    return yield* run(checked, { sink: (chunk) => log.push(chunk) })
  })
  try {
    const { totals } = await Effect.runPromise(Effect.provide(simulated, services))
    const bytes = new Uint8Array(await new Blob(log as Array<BlobPart>).arrayBuffer())
    const seconds = (performance.now() - from) / 1000
    const answered: Simulated = { log: bytes, jobs: totals.submitted, seconds, placeLine: own?.placeLine() }
    return { kind: 'simulated', simulated: answered }
  } catch (error) {
    const problem = problemOf(error)
    const fault = faultOf(error, log, own)
    if (fault === undefined) return { kind: 'problem', problem }
    const line = problem.line ?? own?.answerLine() ?? own?.placeLine()
    return { kind: 'problem', problem: { ...problem, line, fault } }
  }
}

function faultOf(error: unknown, log: Array<Uint8Array>, own: OwnPolicy | undefined): FaultState | undefined {
  const recorded = error instanceof PolicyFailedError ? error.fault?.recorded : undefined
  return recorded && faultAt(readLog(log, sha256), recorded.seq, own?.lastAnswer())
}

async function inputsOf({ files, outages }: AskedRun): Promise<Layer.Layer<RunFiles | Traces | Hash>> {
  const text = files.jobs && (await inflated(files.jobs.bytes))
  return Layer.mergeAll(filesOf(files.machine, outages), tracesOf(files.jobs, text), Layer.succeed(Hash, sha256))
}

const filesOf = (machine: DroppedFile | undefined, outages: string) =>
  Layer.succeed(RunFiles, {
    readText: (path) => {
      if (path === OUTAGES) return outages
      if (path === machine?.name) return new TextDecoder().decode(machine.bytes)
      throw new OptionError({
        option: path,
        reason: 'drop a file topology.conf or topology.yaml of this name on the page first: no link contains the file',
      })
    },
  })

function tracesOf(file: DroppedFile | undefined, text: Uint8Array | undefined): Layer.Layer<Traces> {
  const opened = file && text && { file: file.name, text, sha256: hex(file.bytes) }
  return Layer.succeed(Traces, {
    load: (trace, options) =>
      attempt(() => {
        if (trace.startsWith(FILE) && opened === undefined)
          throw new OptionError({
            option: 'trace',
            reason: 'choose the file with the jobs first: no link contains the file',
          })
        return loadWorkloadFrom({ open: () => opened, find: () => fetchIt() }, trace, loadOptions(options))
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
    await checkAsked(log, asked.spec, sha256, await inputsOf(asked), policiesWith(undefined).find)
  const audit = auditLog([log], sha256)
  const metrics = computeMetrics(readLog([log], sha256))
  const [violation] = audit.violations
  const fault = violation && faultAt(readLog([log], sha256), violation.seq, undefined)
  const [header] = readLog([log], sha256)
  const nodes = header?.type === 'header' ? headerTopology(header).nodes : 0
  const stream = new Blob([log as BlobPart]).stream().pipeThrough(new CompressionStream('gzip'))
  const embedded = base64(new Uint8Array(await new Response(stream).arrayBuffer()))
  return { audit, metrics, nodes, fault, embedded, seconds: (performance.now() - from) / 1000 }
}

function base64(bytes: Uint8Array): string {
  let text = ''
  // A call can only have a limited number of arguments, so `String.fromCharCode` gets the bytes in pieces.
  for (let at = 0; at < bytes.length; at += 2 ** 14) text += String.fromCharCode(...bytes.subarray(at, at + 2 ** 14))
  return btoa(text)
}
