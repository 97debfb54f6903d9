import { recordSchemas } from '../src/index.ts'

/** As much of the tree that a schema is made of as is needed to find its keys. */
interface Node {
  readonly types?: ReadonlyArray<Node>
  readonly rest?: ReadonlyArray<Node>
  readonly elements?: ReadonlyArray<Node>
  readonly propertySignatures?: ReadonlyArray<{ readonly name: PropertyKey; readonly type: Node }>
}

/** Every key that a record and the objects in it can have, in the schemas' order: `submit.comm`, `submit.comm.share`. */
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
