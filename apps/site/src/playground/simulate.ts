import type { HashFunction } from '@cloister/eventlog'
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
import type { DroppedFile, Question, Simulated } from './questions.ts'
import { FILE, OWN_CODE } from './setup.ts'

/** Synchronous SHA-256; the browser's own SHA-256 is asynchronous. */
export const sha256: HashFunction = () => noble.create()

/** Simulates like `cloister simulate`. The only file that a run can read is the file of jobs from the user. */
export async function simulate({ spec, file, code }: Extract<Question, { kind: 'simulate' }>): Promise<Simulated> {
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

export async function inputsOf(file: DroppedFile | undefined): Promise<Layer.Layer<RunFiles | Traces | Hash>> {
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
export function policiesWith(own: AnyPolicy | undefined): Policies['Service'] {
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
