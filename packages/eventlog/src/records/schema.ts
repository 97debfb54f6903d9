import * as Schema from 'effect/Schema'
import { isNestedAtMost } from './encode.ts'
import { DEPTH_LIMIT } from '../limits.ts'
import type {
  Allocate,
  Cancel,
  ClaimsRef,
  Down,
  End,
  Finish,
  Header,
  Json,
  JsonObject,
  Fault,
  Gap,
  Kill,
  LinkClass,
  PolicyRef,
  Progress,
  QueueRef,
  Refuse,
  Reject,
  Release,
  Requeue,
  Reserve,
  Route,
  Seal,
  Submit,
  TopologyRef,
  Unreserve,
  Withdraw,
  WorkloadRef,
  Written,
} from './types.ts'
import { isTime } from './time.ts'

const Natural = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const Time = Schema.Finite.check(
  Schema.makeFilter((t: number) => isTime(t), { expected: 'seconds, not negative, with at most 3 decimals' }),
)
const Digest = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{43}$/, { expected: '43 characters of base64url' }))
const HexSha256 = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/, { expected: '64 lower-case hex digits' }))
/** One idset a level; the last is not empty: levels above it hold no link. */
const Links = Schema.Array(Schema.String).check(
  Schema.makeFilter((links: ReadonlyArray<string>) => links.length > 0 && links[links.length - 1] !== '', {
    expected: 'idsets of which the last is not empty (no "links" at all where there are none)',
  }),
)
const Job = Schema.String
const shallow = Schema.makeFilter((json: Json) => isNestedAtMost(DEPTH_LIMIT, json), {
  expected: `JSON nested at most ${DEPTH_LIMIT} deep`,
})
const FreeJson: Schema.Codec<Json> = Schema.Json.check(shallow)
const FreeJsonObject: Schema.Codec<JsonObject> = Schema.JsonObject.check(shallow)

const TopologyRef: Schema.Codec<TopologyRef> = Schema.Union([
  Schema.Struct({
    name: Schema.String,
    pgft: Schema.Struct({ m: Schema.Array(Natural), w: Schema.Array(Natural), p: Schema.Array(Natural) }),
  }),
  Schema.Struct({
    name: Schema.String,
    graph: Schema.Struct({ leaves: Schema.Array(Natural), parents: Schema.Array(Schema.Array(Schema.Array(Natural))) }),
  }),
])
const LinkClass: Schema.Codec<LinkClass> = Schema.Struct({ name: Schema.String, capacity: Natural, links: Links })
const WorkloadRef: Schema.Codec<WorkloadRef> = Schema.Struct({
  name: Schema.String,
  source_sha256: Schema.optionalKey(HexSha256),
  filter: Schema.String,
  jobs: Natural,
  sha256: HexSha256,
  matrices: Schema.optionalKey(Schema.NonEmptyArray(Schema.Struct({ name: Schema.String, sha256: HexSha256 }))),
})
const ClaimsRef: Schema.Codec<ClaimsRef> = Schema.Struct({
  links: Schema.Literals(['owned', 'capped', 'rule', 'shared']),
  rule: Schema.optionalKey(Schema.String),
  full_bandwidth: Schema.Boolean,
  exact_size: Schema.Boolean,
  monotone: Schema.Boolean,
  complete: Schema.Boolean,
  speedup_scenarios: Schema.Boolean,
})
const PolicyRef: Schema.Codec<PolicyRef> = Schema.Struct({
  name: Schema.String,
  version: Schema.String,
  config: FreeJsonObject,
  claims: ClaimsRef,
  link_capacity: Schema.optionalKey(Natural),
})
const QueueRef: Schema.Codec<QueueRef> = Schema.Struct({
  order: Schema.Literals(['submit', 'estimate', 'size']),
  backfill: Schema.Literals(['none', 'easy', 'conservative', 'external']),
  window: Schema.optionalKey(Natural),
  kill: Schema.optionalKey(Schema.Literal(true)),
  requeue: Schema.optionalKey(Schema.Literal(true)),
})

const Features = Schema.NonEmptyArray(Schema.String).check(
  Schema.makeFilter((names: ReadonlyArray<string>) => names.every((name, at) => at === 0 || name > names[at - 1]), {
    expected: 'names that ascend',
  }),
)
const HeaderSchema: Schema.Codec<Header> = Schema.Struct({
  seq: Schema.Literal(0),
  type: Schema.Literal('header'),
  format: Schema.Literal('cloister-log'),
  version: Schema.Literal(2),
  revision: Natural,
  requires: Schema.optionalKey(Features),
  origin: Schema.Literals(['simulated', 'observed', 'driven']),
  topology: TopologyRef,
  link_classes: Schema.optionalKey(Schema.NonEmptyArray(LinkClass)),
  workload: WorkloadRef,
  policy: PolicyRef,
  queue: QueueRef,
  estimates: Schema.Literals(['exact', 'requested']),
  overrun: Schema.Literals(['run-on', 'kill']),
  arrivals: Schema.String,
  scenario: Schema.String,
  bandwidth: Schema.optionalKey(Schema.String),
  communication: Schema.optionalKey(Schema.String),
  router: Schema.NullOr(Schema.String),
  seed: Schema.Int,
  refusals: Schema.Boolean,
  seal_every: Schema.Int.check(Schema.isGreaterThanOrEqualTo(2)),
  program: Schema.String,
  run_times: Schema.optionalKey(Schema.String),
  epoch: Schema.optionalKey(Schema.Int),
  names: Schema.optionalKey(Schema.String),
  x: Schema.optionalKey(FreeJsonObject),
})

const SubmitSchema: Schema.Codec<Submit> = Schema.Struct({
  seq: Natural,
  t: Time,
  type: Schema.Literal('submit'),
  job: Job,
  size: Natural,
  estimate: Schema.optionalKey(Time),
  walltime: Schema.optionalKey(Time),
  name: Schema.optionalKey(Schema.String),
  user: Schema.optionalKey(Schema.String),
  account: Schema.optionalKey(Schema.String),
  queue: Schema.optionalKey(Schema.String),
  bandwidth: Schema.optionalKey(Natural),
  communication: Schema.optionalKey(Schema.Struct({ pattern: Schema.String, share: Natural })),
  happened: Schema.optionalKey(Time),
})
const CancelSchema: Schema.Codec<Cancel> = Schema.Struct({
  seq: Natural,
  t: Time,
  type: Schema.Literal('cancel'),
  job: Job,
  happened: Schema.optionalKey(Time),
})
const FinishSchema: Schema.Codec<Finish> = Schema.Struct({
  seq: Natural,
  t: Time,
  type: Schema.Literal('finish'),
  job: Job,
  cause: Natural,
  status: Schema.optionalKey(Schema.Literal('failed')),
  happened: Schema.optionalKey(Time),
})
const DownSchema: Schema.Codec<Down> = Schema.Struct({
  seq: Natural,
  t: Time,
  type: Schema.Literals(['down', 'up']),
  nodes: Schema.String,
  links: Schema.optionalKey(Links),
  happened: Schema.optionalKey(Time),
})
const ReserveSchema: Schema.Codec<Reserve> = Schema.Struct({
  seq: Natural,
  t: Time,
  type: Schema.Literal('reserve'),
  job: Job,
  start: Time,
  nodes: Schema.String,
  links: Schema.optionalKey(Links),
  bandwidth: Schema.optionalKey(Natural),
  cause: Natural,
  happened: Schema.optionalKey(Time),
})
const UnreserveSchema: Schema.Codec<Unreserve> = Schema.Struct({
  seq: Natural,
  t: Time,
  type: Schema.Literal('unreserve'),
  job: Job,
  for: Natural,
  cause: Natural,
  happened: Schema.optionalKey(Time),
})
const AllocateSchema: Schema.Codec<Allocate> = Schema.Struct({
  seq: Natural,
  t: Time,
  type: Schema.Literal('allocate'),
  job: Job,
  nodes: Schema.String,
  links: Schema.optionalKey(Links),
  ranks: Schema.optionalKey(Schema.Array(Natural)),
  bandwidth: Schema.optionalKey(Natural),
  estimate: Schema.optionalKey(Time),
  backfill: Schema.optionalKey(Natural),
  note: Schema.optionalKey(FreeJson),
  cause: Natural,
  happened: Schema.optionalKey(Time),
})
const ReleaseSchema: Schema.Codec<Release> = Schema.Struct({
  seq: Natural,
  t: Time,
  type: Schema.Literal('release'),
  job: Job,
  cause: Natural,
  happened: Schema.optionalKey(Time),
})
const RouteSchema: Schema.Codec<Route> = Schema.Struct({
  seq: Natural,
  t: Time,
  type: Schema.Literal('route'),
  job: Job,
  op: Schema.Literals(['add', 'remove']),
  scheme: Schema.String,
  entries: Natural,
  digest: Digest,
  cause: Natural,
  happened: Schema.optionalKey(Time),
})
const KillSchema: Schema.Codec<Kill> = Schema.Struct({
  seq: Natural,
  t: Time,
  type: Schema.Literal('kill'),
  job: Job,
  code: Schema.Literals(['estimate', 'reservation', 'node-down', 'cancel']),
  cause: Natural,
  happened: Schema.optionalKey(Time),
})
const RequeueSchema: Schema.Codec<Requeue> = Schema.Struct({
  seq: Natural,
  t: Time,
  type: Schema.Literal('requeue'),
  job: Job,
  cause: Natural,
  happened: Schema.optionalKey(Time),
})
const RejectSchema: Schema.Codec<Reject> = Schema.Struct({
  seq: Natural,
  t: Time,
  type: Schema.Literal('reject'),
  job: Job,
  code: Schema.String,
  constraint: Schema.String,
  cause: Natural,
  happened: Schema.optionalKey(Time),
})
const RefuseSchema: Schema.Codec<Refuse> = Schema.Struct({
  seq: Natural,
  t: Time,
  type: Schema.Literal('refuse'),
  job: Job,
  code: Schema.String,
  constraint: Schema.String,
  nearest: Schema.optionalKey(FreeJson),
  cause: Natural,
  happened: Schema.optionalKey(Time),
})
const ProgressSchema: Schema.Codec<Progress> = Schema.Struct({
  seq: Natural,
  t: Time,
  type: Schema.Literal('progress'),
  job: Job,
  rate: Natural,
  cause: Natural,
  happened: Schema.optionalKey(Time),
})
const WithdrawSchema: Schema.Codec<Withdraw> = Schema.Struct({
  seq: Natural,
  t: Time,
  type: Schema.Literal('withdraw'),
  job: Job,
  of: Natural,
  cause: Natural,
  happened: Schema.optionalKey(Time),
})
const FaultSchema: Schema.Codec<Fault> = Schema.Struct({
  seq: Natural,
  t: Time,
  type: Schema.Literal('fault'),
  job: Job,
  purpose: Schema.String,
  request: FreeJson,
  message: Schema.String,
  cause: Natural,
})
const GapSchema: Schema.Codec<Gap> = Schema.Struct({ seq: Natural, t: Time, type: Schema.Literal('gap'), since: Time })
const SealSchema: Schema.Codec<Seal> = Schema.Struct({
  seq: Natural,
  t: Time,
  type: Schema.Literal('seal'),
  state: Digest,
  hash: Digest,
})
const EndSchema: Schema.Codec<End> = Schema.Struct({
  seq: Natural,
  t: Time,
  type: Schema.Literal('end'),
  submitted: Natural,
  started: Natural,
  finished: Natural,
  rejected: Natural,
  killed: Natural,
  cancelled: Natural,
})

export type RecordOfType<Type extends Written['type']> = Type extends Down['type']
  ? Down
  : Extract<Written, { readonly type: Type }>

/** The schema of each type of record. */
export const recordSchemas: { readonly [Type in Written['type']]: Schema.Codec<RecordOfType<Type>> } = {
  header: HeaderSchema,
  submit: SubmitSchema,
  cancel: CancelSchema,
  finish: FinishSchema,
  down: DownSchema,
  up: DownSchema,
  reserve: ReserveSchema,
  unreserve: UnreserveSchema,
  allocate: AllocateSchema,
  release: ReleaseSchema,
  route: RouteSchema,
  kill: KillSchema,
  requeue: RequeueSchema,
  reject: RejectSchema,
  refuse: RefuseSchema,
  progress: ProgressSchema,
  withdraw: WithdrawSchema,
  fault: FaultSchema,
  gap: GapSchema,
  seal: SealSchema,
  end: EndSchema,
}
