import { recordSchemas } from '../src/index.ts'

/** Part of a schema's syntax tree from which the keys are found. */
interface Node {
  readonly types?: ReadonlyArray<Node>
  readonly rest?: ReadonlyArray<Node>
  readonly elements?: ReadonlyArray<Node>
  readonly propertySignatures?: ReadonlyArray<{ readonly name: PropertyKey; readonly type: Node }>
}

/**
 * Returns every key of a record and of the objects in the record, in the schemas' order: `submit.comm`,
 * `submit.comm.share`.
 */
export const schemaKeys: ReadonlyArray<string> = Object.entries(recordSchemas).flatMap(([type, schema]) =>
  keysBelow(type, schema.ast as Node),
)

function keysBelow(path: string, { types, elements, rest, propertySignatures }: Node): string[] {
  const inner = [
    ...new Set([types, elements, rest].flatMap((nodes) => nodes ?? []).flatMap((member) => keysBelow(path, member))),
  ]
  return inner.concat(
    (propertySignatures ?? []).flatMap(({ name, type }) => [
      `${path}.${String(name)}`,
      ...keysBelow(`${path}.${String(name)}`, type),
    ]),
  )
}
