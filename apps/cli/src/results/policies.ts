import { any, flag, list, named, number, of, oneOf, optional, orNull, struct, text, tuple } from './kinds.ts'

export const InstalledCode = named(
  'InstalledCode',
  'Installed package whose name is that of a policy, router or order: `@cloister/KIND-NAME` or `cloister-KIND-NAME`.',
  {
    name: text('Shortest name by which `--policy`, `--router` or `--order` finds the package.'),
    version: text(),
    description: text('Field `description` of the package.json, or an empty text without the field.'),
    package: text(),
  },
)
export type InstalledCode = typeof InstalledCode.Type

export const Checked = named(
  'Checked',
  'Result of a check: `claimed` is false if the policy or router claims nothing that the check tests; `problem` is the fault; `hiddenBy` is the failed check that this check needs.',
  {
    name: text(),
    ok: flag(),
    claimed: optional(oneOf([false])),
    problem: optional(text()),
    hiddenBy: optional(text()),
  },
)
export type Checked = typeof Checked.Type

const PolicyOption = named('PolicyOption', "Description of one field of a policy's configuration.", {
  name: text(),
  type: text(
    'Type of the field in words: `"a" | "b"`, `boolean`, `integer > 0`, `list of integer`, or `any` without a type.',
  ),
  default: optional(any('Default of the field as a JSON value, absent if the field has no default.')),
  required: flag(),
  description: optional(text()),
})

const ShareAsRatio = tuple([number(), number()]).annotate({
  identifier: 'ShareAsRatio',
  description: 'Ratio of two positive integers in lowest terms: numerator, denominator.',
})

const Share = named(
  'Share',
  'Largest numbers of flows on a link that a job with its share of a tapered tree needs, each as an exact ratio. One flow is the rate of one node.',
  {
    uplink: of(
      ShareAsRatio,
      'Flows on an uplink of a leaf: the taper of the leaves, or 1 if the leaves are not tapered.',
    ),
    spine: of(
      ShareAsRatio,
      'Flows on an uplink of an L2 switch: the taper of the L2 switches (or 1) multiplied by `uplink`.',
    ),
  },
)

export const Claims = named(
  'Claims',
  'Properties that a policy guarantees on one topology. The auditor tests `links`, `rule`, `exactSize`, `anyFreeNodes` and, by the rule, `fullBandwidth`, `shareBandwidth` and, on small trees, `complete`. `policySuite` tests all except `rule` and `speedupScenarios`. Nothing tests `speedupScenarios`.',
  {
    links: oneOf(
      ['capped', 'owned', 'rule', 'shared'],
      "How jobs use links. - owned: a placement lists every link that the job's messages can use, and no other job holds a listed link. - capped: a placement lists links and a bandwidth; all jobs on a link together hold at most `linkCapacity` MB/s of the link. - rule: the auditor's checks of the claim `rule` say how jobs use links. - shared: a placement lists no links; any job may use any link.",
    ),
    rule: optional(
      text(
        "Set of further checks of the auditor: 'jigsaw-conditions', 'laas', 'nested-remainders' or 'ta'. The auditor reports any other name as untested.",
      ),
    ),
    fullBandwidth: flag(
      'True if each allocation is rearrangeable non-blocking: every permutation of its nodes has routes, one flow a link.',
    ),
    shareBandwidth: optional(
      of(
        Share,
        "Claim for tapered trees, where `fullBandwidth` is too much to ask: every permutation of an allocation's nodes has routes over the allocation's links with at most `uplink` flows on each leaf uplink and direction, and at most `spine` flows on each L2 uplink, if flows may be split over several routes. Whole flows need at most ⌈uplink⌉ and ⌈uplink⌉ · ⌈spine / uplink⌉. `shareOf` of `@cloister/topology` gives the numbers for a tapered tree. Default: no such claim.",
      ),
    ),
    exactSize: flag(
      'True if a placement has exactly the requested number of nodes; false if it may have more (internal fragmentation).',
    ),
    monotone: flag(
      'True if a request that is refused in a state is also refused in every state in which only a part of the same resources is free.',
    ),
    complete: flag(
      "True if the policy finds a placement in every state in which its class of placements has one. The refusal 'no-placement' then proves that no such placement exists. Under a rule for owned links, the class has at least: - ta, laas: every placement that the rule allows. - jigsaw-conditions: every placement that the rule allows in one pod and, across pods, every placement on whole leaves and at most one remainder leaf. With `shareBandwidth` and on a machine with absent parts, only the rule ta fixes the class.",
    ),
    anyFreeNodes: optional(
      flag('True if the policy places every request for at most as many nodes as are free. Default: false.'),
    ),
    speedupScenarios: flag('True if the option `scenario` of a run shortens the run times of jobs under this policy.'),
  },
)
export type Claims = typeof Claims.Type

export const ShownPolicy = named('ShownPolicy', 'Policy, with its claims and limits on a topology.', {
  policy: text(),
  origin: text(),
  introduction: orNull(text()),
  options: orNull(
    list(PolicyOption),
    "Fields of the policy's configuration. Null if the fields cannot be derived from the policy's schema.",
  ),
  topology: text(),
  claims: orNull(Claims),
  linkCapacity: optional(number()),
  unsupported: optional(text()),
  largestJob: optional(number('Number of nodes of the largest job that the policy places on the empty machine.')),
  bandwidthRemark: orNull(
    text(),
    'Remark on a claim of full or share bandwidth on a tapered tree. Null without such a claim, or on a full tree.',
  ),
})
export type ShownPolicy = typeof ShownPolicy.Type

const LevelEntries = named('LevelEntries', 'Entries of the tables before the first job, for the switches of a level.', {
  level: number('Level of the switches, from 0 for leaves.'),
  switches: number(),
  entries: number('Number of entries of all switches of the level: one a switch and destination node.'),
})

export const RouterClaims = named(
  'RouterClaims',
  'Claims of a router about its tables. The auditor tests the claims in every log with the router.',
  {
    links: oneOf(
      ['owned', 'shared'],
      '`owned`: the entries for the nodes of a job use only nodes and links that the job owns, and connect all nodes of the job that links of the job that are up still connect. `shared`: the entries may use any link.',
    ),
    changes: oneOf(
      ['any', 'none', 'own'],
      'Entries that the start or end of a job changes. `none`: the tables do not depend on jobs. `own`: a start adds entries for nodes of its job, and the end of the job removes these entries. `any`: entries of any nodes may change. The claim does not restrict the answers to failures and repairs, except under `own`: there each changed entry belongs to a running job. Under `none` the tables depend only on the topology and on the links that are down. Under `own` the tables are equal after any order of the same jobs, because a restarted controller starts the running jobs again. Under `any` the tables may depend on all earlier calls. Under `none` and `any` every leaf reaches each node that has an entry, while nothing has failed.',
    ),
  },
)
export type RouterClaims = typeof RouterClaims.Type

export const ShownRouter = named('ShownRouter', 'Router, with its claims and the size of its tables on a topology.', {
  router: text(),
  origin: text(),
  claims: RouterClaims,
  topology: text(),
  unsupported: optional(
    text('Reason of the router for not serving the topology; absent if the router serves the topology.'),
  ),
  initial: orNull(
    list(LevelEntries),
    'Entries before the first job, by level; null if the router does not serve the topology.',
  ),
  followsFailures: orNull(
    flag(),
    'True if failures of links and nodes change the tables; null if the router does not serve the topology.',
  ),
})
export type ShownRouter = typeof ShownRouter.Type

export const ShownOrder = named('ShownOrder', 'Queue order, with its claims and its configuration.', {
  order: text(),
  claims: struct({
    fixed: flag('True if the score of a job never changes.'),
    history: flag('True if scores depend on ended runs.'),
    behindHead: flag('True if jobs behind the head have scores of their own.'),
  }),
  config: any('Configuration with every default filled in.'),
})
export type ShownOrder = typeof ShownOrder.Type

/** Results of commands with `--json`, by command. */
export const policiesResults = {
  'policy list': struct({
    builtin: list(struct({ name: text(), version: text(), description: text() })),
    installed: list(InstalledCode),
  }),
  'policy show': ShownPolicy,
  'policy test': struct({ policy: text(), origin: text(), ok: flag(), checks: list(Checked) }),
  'router list': struct({
    builtin: list(struct({ ...RouterClaims.fields, name: text(), version: text(), description: text() })),
    installed: list(InstalledCode),
  }),
  'router show': ShownRouter,
  'router test': struct({ router: text(), origin: text(), ok: flag(), checks: list(Checked) }),
  'order list': struct({
    builtin: list(struct({ name: text(), version: text(), description: text() })),
    installed: list(InstalledCode),
  }),
  'order show': ShownOrder,
  'order test': struct({ order: text(), ok: flag(), checks: list(Checked) }),
}
