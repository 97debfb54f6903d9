import * as Schema from 'effect/Schema'
const V = Schema.Struct({ a: Schema.String.annotateKey({ description: 'the a' }), n: Schema.Finite }).annotate({
  identifier: 'Violation',
  description: 'A violation.',
})
interface Tree {
  readonly name: string
  readonly kids: ReadonlyArray<Tree>
}
const T: Schema.Codec<Tree> = Schema.Struct({
  name: Schema.String,
  kids: Schema.Array(Schema.suspend(() => T)),
}).annotate({ identifier: 'Tree' })
const S = Schema.Struct({
  one: V.annotateKey({ description: 'the one' }),
  opt: Schema.optional(V).annotateKey({ description: 'optional' }),
  optk: Schema.optionalKey(Schema.Finite).annotateKey({ description: 'optional' }),
  nul: Schema.NullOr(Schema.Finite).annotateKey({ description: 'null' }),
  und: Schema.UndefinedOr(Schema.Finite),
  list: Schema.Array(V),
  lit: Schema.Literals(['a', 'b']),
  l1: Schema.Literal('x'),
  rec: Schema.Record(Schema.String, Schema.Finite),
  tup: Schema.Tuple([Schema.Finite, Schema.String]),
  tree: T,
  unk: Schema.Unknown,
  json: Schema.Json,
  rest: Schema.StructWithRest(Schema.Struct({ a: Schema.String }), [Schema.Record(Schema.String, Schema.Unknown)]),
})
console.log(JSON.stringify(Schema.toJsonSchemaDocument(S), null, 1))
const d = Schema.decodeUnknownSync(S, { onExcessProperty: 'error', errors: 'all' })
try {
  d({ one: { a: 'x', n: 1, z: 2 } })
} catch (e) {
  console.log(String(e))
}
