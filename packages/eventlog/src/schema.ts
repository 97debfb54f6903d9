import * as Schema from 'effect/Schema'
import { isNestedAtMost } from './encode.ts'
import { DEPTH_LIMIT } from './limits.ts'
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
  Kill,
  LogRecord,
  PolicyRef,
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
  WorkloadRef,
} from './record.ts'
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
const WorkloadRef: Schema.Codec<WorkloadRef> = Schema.Struct({
  name: Schema.String,
  source_sha256: Schema.optionalKey(HexSha256),
  filter: Schema.String,
  jobs: Natural,
  sha256: HexSha256,
})
const ClaimsRef: Schema.Codec<ClaimsRef> = Schema.Struct({
  links: Schema.Literals(['owned', 'capped', 'rule', 'none']),
  rule: Schema.optionalKey(Schema.String),
  fullBandwidth: Schema.Boolean,
  exactSize: Schema.Boolean,
  monotone: Schema.Boolean,
  complete: Schema.Boolean,
  speedup: Schema.Boolean,
})
const PolicyRef: Schema.Codec<PolicyRef> = Schema.Struct({
  name: Schema.String,
  version: Schema.String,
  config: FreeJsonObject,
  claims: ClaimsRef,
  link_capacity: Schema.optionalKey(Natural),
})
const QueueRef: Schema.Codec<QueueRef> = Schema.Struct({
  order: Schema.Literals(['submit', 'walltime', 'size']),
  backfill: Schema.Literals(['none', 'easy', 'conservative']),
  window: Schema.optionalKey(Natural),
  kill: Schema.optionalKey(Schema.Literal(true)),
  requeue: Schema.optionalKey(Schema.Literal(true)),
})

const HeaderSchema: Schema.Codec<Header> = Schema.Struct({
  seq: Schema.Literal(0),
  type: Schema.Literal('header'),
  format: Schema.Literal('cloister-log'),
  version: Schema.Literal(1),
  topology: TopologyRef,
  workload: WorkloadRef,
  policy: PolicyRef,
  queue: QueueRef,
  walltime: Schema.Literals(['exact', 'trace']),
  overrun: Schema.Literals(['run-on', 'kill']),
  arrivals: Schema.String,
  scenario: Schema.String,
  router: Schema.NullOr(Schema.String),
  seed: Schema.Int,
  decisions: Schema.Boolean,
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
  walltime: Schema.optionalKey(Time),
  name: Schema.optionalKey(Schema.String),
  bw: Schema.optionalKey(Natural),
  comm: Schema.optionalKey(Schema.Struct({ pattern: Schema.String, share: Natural })),
})
const CancelSchema: Schema.Codec<Cancel> = Schema.Struct({
  seq: Natural,
  t: Time,
  type: Schema.Literal('cancel'),
  job: Job,
})
const FinishSchema: Schema.Codec<Finish> = Schema.Struct({
  seq: Natural,
  t: Time,
  type: Schema.Literal('finish'),
  job: Job,
  cause: Natural,
  status: Schema.optionalKey(Schema.Literal('failed')),
})
const DownSchema: Schema.Codec<Down> = Schema.Struct({
  seq: Natural,
  t: Time,
  type: Schema.Literals(['down', 'up']),
  nodes: Schema.String,
  links: Schema.optionalKey(Links),
})
const ReserveSchema: Schema.Codec<Reserve> = Schema.Struct({
  seq: Natural,
  t: Time,
  type: Schema.Literal('reserve'),
  job: Job,
  start: Time,
  nodes: Schema.String,
  links: Schema.optionalKey(Links),
  bw: Schema.optionalKey(Natural),
  cause: Natural,
})
const UnreserveSchema: Schema.Codec<Unreserve> = Schema.Struct({
  seq: Natural,
  t: Time,
  type: Schema.Literal('unreserve'),
  job: Job,
  for: Natural,
  cause: Natural,
})
const AllocateSchema: Schema.Codec<Allocate> = Schema.Struct({
  seq: Natural,
  t: Time,
  type: Schema.Literal('allocate'),
  job: Job,
  nodes: Schema.String,
  links: Schema.optionalKey(Links),
  ranks: Schema.optionalKey(Schema.Array(Natural)),
  bw: Schema.optionalKey(Natural),
  walltime: Schema.optionalKey(Time),
  backfill: Schema.optionalKey(Natural),
  note: Schema.optionalKey(FreeJson),
  cause: Natural,
})
const ReleaseSchema: Schema.Codec<Release> = Schema.Struct({
  seq: Natural,
  t: Time,
  type: Schema.Literal('release'),
  job: Job,
  cause: Natural,
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
})
const KillSchema: Schema.Codec<Kill> = Schema.Struct({
  seq: Natural,
  t: Time,
  type: Schema.Literal('kill'),
  job: Job,
  why: Schema.Literals(['walltime', 'reservation', 'node-down', 'cancel']),
  cause: Natural,
})
const RequeueSchema: Schema.Codec<Requeue> = Schema.Struct({
  seq: Natural,
  t: Time,
  type: Schema.Literal('requeue'),
  job: Job,
  cause: Natural,
})
const RejectSchema: Schema.Codec<Reject> = Schema.Struct({
  seq: Natural,
  t: Time,
  type: Schema.Literal('reject'),
  job: Job,
  why: Schema.String,
  constraint: Schema.String,
  cause: Natural,
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
})
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

export type RecordOfType<Type extends LogRecord['type']> = Type extends Down['type']
  ? Down
  : Extract<LogRecord, { readonly type: Type }>

/** The schema of each type of record. */
export const recordSchemas: { readonly [Type in LogRecord['type']]: Schema.Codec<RecordOfType<Type>> } = {
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
  seal: SealSchema,
  end: EndSchema,
}
