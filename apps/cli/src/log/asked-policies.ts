import { type Header, headerTopology } from '@cloister/eventlog'
import type { BoundPolicy } from '@cloister/placement'
import { bind, blamePolicy } from '@cloister/run'
import { Effect, Option } from 'effect'
import { Problem } from '../errors/errors.ts'
import { PolicyLookup } from '../policy/policy-lookup.ts'
import { remark, visibleOnOneLine } from '../terminal/output.ts'

/** Policy to ask about the states of a log. */
export interface AskedPolicy {
  /** Name and version, such as `jigsaw@1.0.0`. */
  readonly name: string
  /** Configuration with all defaults filled in. */
  readonly config: unknown
  readonly placer: BoundPolicy<unknown, unknown>['placer']
  /** Runs a function that asks the policy. Failures of the policy name the policy. */
  readonly ask: <Answer>(question: () => Answer) => Answer
}

/** Policy that is asked about the log of a real machine by default: the policy takes any idle nodes. */
const ANY_NODES = 'baseline'

/**
 * Returns the policies of `--policy`, bound to the machine of a log: by default the policy of the log, or Baseline for
 * the log of a real machine. Prints a remark if a policy gives links to jobs, but the log does not know these links.
 *
 * @param config value of `--policy-config`, for a single policy. Default: for the policy of the log the configuration in
 *   the log, for other policies {}
 */
export const askedPolicies = Effect.fnUntraced(function* (
  header: Header,
  given: ReadonlyArray<string>,
  config: Option.Option<unknown> = Option.none(),
) {
  const isOfMachine = header.options.queue === 'external'
  const { find, findOfLog } = yield* PolicyLookup
  const ofLog = findOfLog(isOfMachine ? ANY_NODES : header.policy.name)
  const topology = headerTopology(header)
  const asked: ReadonlyArray<AskedPolicy> = yield* Effect.forEach(
    given.length === 0 ? [ofLog] : given.map(find),
    Effect.fnUntraced(function* (finding: typeof ofLog) {
      const found = yield* finding
      const isOfLog = found.policy.name === header.policy.name
      const chosen = Option.getOrElse(config, () => (isOfLog ? header.policy.config : {}))
      const { policy, placer, config: filled } = yield* bind(found, topology, chosen)
      return {
        name: `${policy.name}@${policy.version}`,
        config: filled,
        placer,
        ask: <Answer>(question: () => Answer) => blamingLinks(policy.name, () => blamePolicy(found, 'place', question)),
      }
    }),
  )
  if (isOfMachine && given.length === 0)
    yield* remark(
      `the log is of a real machine, whose scheduler cannot be asked; the answers are by ${ANY_NODES}, which takes any idle nodes; --policy names other policies`,
    )
  const { links } = header.policy.claims
  const blind = asked.filter(({ placer }) => placer.claims.links === 'owned')
  if (links !== 'owned' && blind.length > 0)
    yield* remark(
      visibleOnOneLine(
        `the policy of the log gives no links to jobs; ${blind.map(({ name }) => name).join(', ')} may use every link that is up`,
      ),
    )
  return asked
})

/** Two policies of which only one caps links cannot share a state of links. */
function blamingLinks<Answer>(policy: string, question: () => Answer): Answer {
  try {
    return question()
  } catch (error) {
    if (error instanceof RangeError) throw new Problem(`--policy: found ${policy}: ${error.message}`)
    throw error
  }
}
