// What is known of names in the code of a policy, without a compiler: by their annotations, else as the contract's documents call them.

/** A member of one of the contract's types. */
export interface Member {
  readonly name: string
  /** As it is declared: `freeNodesOnLeaf(leaf: number): number`. */
  readonly declaration: string
  readonly about: string
  /** Its type, where that is one of these too. */
  readonly type?: string
}

/** The contract's types by their names. */
export type ContractTypes = Readonly<
  Record<string, { readonly about: string; readonly members: ReadonlyArray<Member> }>
>

const usual: Readonly<Record<string, string>> = { state: 'StateView', request: 'Request', topology: 'Topology' }

/** What may follow at the end of `before`: members of what stands before the last point; undefined after none that is known. */
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

/** The type of a name in some code. */
function typeOf(types: ContractTypes, code: string, name: string): string | undefined {
  const annotations = [...code.matchAll(/\b(\w+)\??: (\w+)/g)].filter(([, named]) => named === name)
  const annotated = annotations.map(([, , type]) => type).find((type) => Object.hasOwn(types, type))
  return annotated ?? (Object.hasOwn(usual, name) ? usual[name] : undefined)
}

/** A word with what it means. */
export interface Meaning {
  readonly declaration: string
  readonly about: string
}

/** What a word is: a member of what stands before it, or one of the types; undefined for others. */
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
