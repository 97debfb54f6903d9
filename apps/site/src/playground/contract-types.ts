// Finds the types of names in a policy's code without a compiler: by annotations such as `state: StateView`, else by
// the names `state`, `request` and `topology`.

/** A member of a type of the policy contract. */
interface Member {
  readonly name: string
  /** Declaration of the member: `freeNodesOnLeaf(leaf: number): number`. */
  readonly declaration: string
  readonly about: string
  /** Type of the member, if the contract declares the type. */
  readonly type?: string
}

/** Types of the policy contract with their members, by the name of the type. */
export type ContractTypes = Readonly<
  Record<string, { readonly about: string; readonly members: ReadonlyArray<Member> }>
>

const usual: Readonly<Record<string, string>> = { state: 'StateView', request: 'Request', topology: 'Topology' }

/** Returns the members that may follow the last `.` of `before`; undefined if the type before the `.` is unknown. */
export function membersAfter(
  types: ContractTypes,
  code: string,
  before: string,
): { readonly type: string; readonly members: ReadonlyArray<Member> } | undefined {
  const [, path] = /(?<![\w.)\]])(\w+(?:\??\.\w+)*)\??\.\w*$/.exec(before) ?? []
  if (path === undefined) return undefined
  const [first, ...rest] = path.split(/\??\./)
  const of = (name: string, member: string): string | undefined =>
    types[name]?.members.find((each) => each.name === member)?.type
  const type = rest.reduce<string | undefined>((found, name) => found && of(found, name), typeOf(types, code, first))
  return type === undefined ? undefined : { type, members: types[type].members }
}

function typeOf(types: ContractTypes, code: string, name: string): string | undefined {
  const annotations = [...code.matchAll(/\b(\w+)\??: (\w+)/g)].filter(([, named]) => named === name)
  const annotated = annotations.map(([, , type]) => type).find((type) => Object.hasOwn(types, type))
  return annotated ?? (Object.hasOwn(usual, name) ? usual[name] : undefined)
}

/** Declaration and description of a word in a policy's code. */
export interface Meaning {
  readonly declaration: string
  readonly about: string
}

/** Returns the meaning of a word at `from` to `to`: a member, a type, or a name of known type; else undefined. */
export function meaningOf(types: ContractTypes, code: string, from: number, to: number): Meaning | undefined {
  const word = code.slice(from, to)
  const member = membersAfter(types, code, code.slice(0, to))
  if (member !== undefined) {
    const found = member.members.find(({ name }) => name === word)
    return found && { declaration: `${member.type}.${found.declaration}`, about: found.about }
  }
  if (Object.hasOwn(types, word)) return { declaration: `interface ${word}`, about: types[word].about }
  const type = typeOf(types, code, word)
  return type === undefined ? undefined : { declaration: `${word}: ${type}`, about: types[type].about }
}
