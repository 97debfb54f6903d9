import { type Header, headerTopology, type LogRecord } from '@cloister/eventlog'
import {
  bindPolicy,
  type BoundPolicy,
  type Claims,
  type Outcome,
  type Placer,
  readConfig,
  type Refusal,
} from '@cloister/placement'
import { RecordedCluster } from '@cloister/replay'
import { type AnyPolicy, builtIn, type FoundPolicy, OptionError } from '@cloister/run'
import { formatIdset } from '@cloister/topology'
import { version } from '../version.ts'

/** Name of the policy of an environment with `--placements`, in headers of logs. */
export const CANDIDATES = 'candidates'

type Bound = BoundPolicy<unknown, unknown>

/**
 * Candidate policies of an environment as one policy: the agent chooses the policy that places the head of the queue.
 * All other jobs get the placement of the first policy that gives one, as does a head without a choice.
 */
export class Candidates implements FoundPolicy {
  readonly policy: AnyPolicy
  readonly origin: string
  readonly names: ReadonlyArray<string>
  #choice: { readonly job: string; readonly placement: number } | undefined

  /** @throws OptionError if a policy is named twice */
  constructor(found: ReadonlyArray<FoundPolicy>) {
    const policies = found.map(({ policy }) => policy)
    this.names = policies.map(({ name }) => name)
    const twice = this.names.find((name, at) => this.names.indexOf(name) !== at)
    if (twice !== undefined) throw refused(`found ${twice} twice, expected different policies`)
    const origins = new Set(found.map(({ origin }) => origin))
    this.origin = [...origins].join(', ')
    // An error of a built-in policy is a defect of the program, and keeps its stack.
    if (origins.size === 1 && origins.has(builtIn)) this.origin = builtIn
    this.policy = {
      contract: 1,
      name: CANDIDATES,
      version,
      config: { '~standard': { version: 1, vendor: 'cloister', validate: (value) => this.#configOf(policies, value) } },
      make: (topology, { policies: configs }: Config) =>
        this.#placer(policies.map((policy, at) => bindPolicy(policy, topology, configs[at].config))),
    }
  }

  /** Sets the policy that places a job until the next call; undefined for no choice. */
  choose(choice?: { readonly job: string; readonly placement: number }): void {
    this.#choice = choice
  }

  /** Reads a configuration: the configuration of each policy by its name. */
  #configOf(policies: ReadonlyArray<AnyPolicy>, given: unknown): { value: Config } | { issues: Array<Issue> } {
    const configs = given as Readonly<Record<string, unknown>>
    const issues = Object.keys(configs).flatMap((name) =>
      this.names.includes(name) ? [] : [{ message: `found ${name}, expected the names ${this.names.join(', ')}` }],
    )
    const read = policies.map(({ name, version: of, config }) => {
      const result = readConfig(config, configs[name] ?? {})
      if ('wrong' in result) issues.push({ message: `${name}: ${result.wrong}` })
      return { name, version: of, config: 'value' in result ? result.value : {} }
    })
    if (issues.length > 0) return { issues }
    const [first, ...others] = read.map((each) => each.config as Readonly<Record<string, unknown>>)
    const common = Object.entries(first).filter(([option, value]) => others.every((each) => each[option] === value))
    return { value: { ...Object.fromEntries(common), policies: read } }
  }

  #placer(bound: ReadonlyArray<Bound>): Placer<ReadonlyArray<unknown>> {
    const placers = bound.map(({ placer }) => placer)
    const { linkCapacity } = placers[0]
    return {
      claims: commonClaims(bound),
      ...(linkCapacity !== undefined && { linkCapacity }),
      place: (state, request, indices) => {
        const chosen = this.#choice?.job === request.job ? this.#choice.placement : undefined
        const refusals: Array<Refusal> = []
        for (let at = chosen ?? 0; at <= (chosen ?? placers.length - 1); at++) {
          const outcome = placers[at].place(state, request, indices[at])
          if (outcome?.ok !== false) return withName(this.names[at], outcome)
          refusals.push(outcome)
        }
        return refusalOf(refusals, placers.length)
      },
      index: {
        build: (state) => placers.map(({ index }) => index?.build(state)),
        copy: (from, into) => placers.forEach(({ index }, at) => index?.copy(from[at], into[at])),
        changed: (indices, state, leaves, upper) =>
          placers.forEach(({ index }, at) => index?.changed(indices[at], state, leaves, upper)),
      },
    }
  }
}

/** Configuration in the header of a log: the policies, and the options that have equal values in all policies. */
interface Config {
  readonly policies: ReadonlyArray<{ readonly name: string; readonly version: string; readonly config: unknown }>
}

interface Issue {
  readonly message: string
}

const refused = (reason: string): OptionError => new OptionError({ option: 'placements', reason })

/** Adds the name of the policy to the note of a placement. An answer without a valid form stays as it is. */
function withName(policy: string, outcome: Outcome): Outcome {
  if (outcome?.ok !== true) return outcome
  return { ...outcome, note: { policy, ...(outcome.note !== undefined && { note: outcome.note }) } }
}

/** A job can never run only if all policies say so. */
function refusalOf(refusals: ReadonlyArray<Refusal>, policies: number): Refusal {
  const passing = refusals.find(({ code }) => code !== 'never')
  const [first] = refusals
  if (passing !== undefined || first.code !== 'never' || refusals.length === policies) return passing ?? first
  return { ok: false, code: 'no-placement', constraint: first.constraint }
}

/**
 * Returns the claims that hold whichever policy places each job. The policies are not monotone together: a refusal by
 * one says nothing about the next.
 *
 * @throws OptionError if jobs of the policies use links in different ways
 */
function commonClaims(bound: ReadonlyArray<Bound>): Claims {
  const [first, ...others] = bound
  const other = others.find((each) => linksOf(each) !== linksOf(first))
  if (other !== undefined)
    throw refused(
      `found ${[first, other].map((each) => `${each.policy.name}, whose jobs have ${linksOf(each)}`).join(', and ')}; expected policies whose jobs use links in the same way, because the auditor tests the links of a whole log`,
    )
  const claims = bound.map(({ placer }) => placer.claims)
  const { links, shareBandwidth } = claims[0]
  const rule = commonRule(bound)
  const same = (value: unknown, of: keyof Claims): boolean =>
    value !== undefined && claims.every((each) => JSON.stringify(each[of]) === JSON.stringify(value))
  return {
    links,
    ...(rule !== undefined && { rule }),
    ...(same(shareBandwidth, 'shareBandwidth') && { shareBandwidth }),
    fullBandwidth: claims.every((each) => each.fullBandwidth),
    exactSize: claims.every((each) => each.exactSize),
    monotone: false,
    complete: false,
    anyFreeNodes: claims.every((each) => each.anyFreeNodes === true),
    speedupScenarios: claims.every((each) => each.speedupScenarios),
  }
}

/** Rules whose allocations meet the last rule, too. */
const NESTED: ReadonlyArray<string | undefined> = ['jigsaw-conditions', 'laas', 'nested-remainders']

/** Returns the strictest rule for the placements of all policies. The auditor tests the claims on bandwidth by a rule. */
function commonRule(bound: ReadonlyArray<Bound>): string | undefined {
  // The auditor reads this option of a rule from the configuration.
  const holds = new Set(bound.map(({ config }) => (config as Record<string, unknown>)['leafJobsHoldUplinks'] === true))
  if (holds.size > 1) return undefined
  const rules = bound.map(({ placer }) => placer.claims.rule)
  if (rules.every((rule) => rule === rules[0])) return rules[0]
  return rules.every((rule) => NESTED.includes(rule)) ? NESTED.at(-1) : undefined
}

function linksOf({ placer: { claims, linkCapacity } }: Bound): string {
  if (claims.links === 'capped') return `links capped at ${linkCapacity} MB/s`
  return claims.links === 'rule' ? `links by the rule ${claims.rule}` : `${claims.links} links`
}

/** Number of waiting jobs whose placements an observation shows. */
const SHOWN = 16

/** Placements that each candidate policy gives to waiting jobs in the present state of an episode. */
export class Offers {
  readonly #candidates: Candidates
  readonly #cluster: RecordedCluster<unknown>

  /** Binds the policies again: a policy may know the state that it saw last, and the simulation has another state. */
  constructor(candidates: Candidates, header: Header, config: Readonly<Record<string, unknown>>) {
    this.#candidates = candidates
    const { placer } = bindPolicy(candidates.policy, headerTopology(header), config)
    this.#cluster = new RecordedCluster(header, placer)
  }

  add(record: LogRecord): void {
    this.#cluster.apply(record)
  }

  /** Returns an element for each policy, with arrays about the placements of the first jobs. @param jobs the queue */
  ofFirst(jobs: ReadonlyArray<string>): ReadonlyArray<object> {
    return this.#candidates.names.map((policy, at) => {
      const sizes = jobs.slice(0, SHOWN).map((job) => this.#sizesOf(this.#answer(job, at)))
      const column = (of: keyof Sizes): ReadonlyArray<number | null> => sizes.map((each) => each?.[of] ?? null)
      const [nodes, leaves, pods, links] = (['nodes', 'leaves', 'pods', 'links'] as const).map(column)
      return { policy, nodes, leaves, pods, links }
    })
  }

  /** Returns the answer of each policy about a job, with the ids of nodes and links as idsets. */
  of(job: string): ReadonlyArray<object> {
    return this.#candidates.names.map((policy, at) => {
      const outcome = this.#answer(job, at)
      if (!outcome.ok) {
        const { ok: _, ...refusal } = outcome
        return { policy, refusal }
      }
      const { leaves, pods } = this.#sizesOf(outcome)!
      return { policy, leaves, pods, nodes: formatIdset(outcome.nodes), links: outcome.links.map(formatIdset) }
    })
  }

  #answer(job: string, placement: number): Outcome {
    this.#candidates.choose({ job, placement })
    const outcome = this.#cluster.ask(job, 'start')
    this.#candidates.choose()
    return outcome
  }

  #sizesOf(outcome: Outcome): Sizes | undefined {
    if (!outcome.ok) return undefined
    const { leafOfNode, podOfLeaf } = this.#cluster.state.topology
    const leaves = new Set(Array.from(outcome.nodes, (node) => leafOfNode[node]))
    return {
      nodes: outcome.nodes.length,
      leaves: leaves.size,
      pods: new Set(Array.from(leaves, (leaf) => podOfLeaf[leaf])).size,
      links: outcome.links.reduce((sum, { length }) => sum + length, 0),
    }
  }
}

type Sizes = Readonly<Record<'nodes' | 'leaves' | 'pods' | 'links', number>>
