import { loadWorkload } from '@cloister/trace-io/node'
import { TraceNotFoundError } from '@cloister/trace-io'
import { Policies, type RunFiles, type Hash, type TraceOptions, Traces } from '@cloister/run'
import { nodeInputs } from '@cloister/run/node'
import { Layer } from 'effect'
import { findPolicy, findPolicyOfLog } from '../policy/policy-lookup.ts'
import { attempt, Problem } from '../errors/problem.ts'

/** Where a run's inputs come from on a command line: the file system, the trace folder, the lookup of policies. */
export function runInputs(traceDir: string | undefined): Layer.Layer<RunFiles | Traces | Policies | Hash> {
  const folders = traceDir === undefined ? [] : [traceDir]
  return Layer.mergeAll(
    nodeInputs(folders),
    Layer.succeed(Policies, { find: findPolicy }),
    Layer.succeed(Traces, { load: (trace, options) => attempt(() => load(trace, folders, options)) }),
  )
}

function load(trace: string, folders: ReadonlyArray<string>, { filter, procsPerNode, arrivals }: TraceOptions) {
  try {
    return loadWorkload(trace, {
      folders,
      filter,
      ...(procsPerNode === undefined ? {} : { procsPerNode }),
      ...(arrivals === undefined ? {} : { arrivals }),
    })
  } catch (error) {
    if (error instanceof TraceNotFoundError)
      throw new Problem(`${error.message}\n  --trace-dir DIR, or CLOISTER_TRACE_DIR, says which folder`)
    throw error
  }
}

/** Policies that a log may name. */
export const policiesOfLogs: Layer.Layer<Policies> = Layer.succeed(Policies, { find: findPolicyOfLog })
