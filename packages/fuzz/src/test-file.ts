import { type Header, headerTopology, resourcesOf } from '@cloister/eventlog'
import { idsCode, requestText, stateText } from '@cloister/placement/checks'
import { EXEC } from '@cloister/run/node'
import { formatIdset, parseTopology, topologyToJson } from '@cloister/topology'
import type { Asked, Decision } from './decision.ts'

/** Contents of a test file. */
export interface TestFile {
  /** Comment with the origin of the decision: record, log and policy. */
  readonly source: string
  readonly header: Header
  readonly decision: Decision
  readonly asked: Asked
  readonly config: unknown
  /** Specifier of the module from which the test imports the policy: a package or a relative path; or `exec:COMMAND`. */
  readonly policyFrom: string
}

/** Returns the text of a vitest test that expects one decision, or any valid answer, from a policy. */
export function testFile({ source, header, decision, asked, config, policyFrom }: TestFile): string {
  const machine = machineCode(header)
  const body = [
    `const topology = ${machine}`,
    `const { placer } = bindPolicy(policy, topology, ${JSON.stringify(config)})`,
    `const state = ${stateText(asked.scene)}`,
    `const outcome = ask(placer, state, ${requestText(asked.request)})`,
    ...expectations(decision),
  ].join('\n')
  const used = (...names: ReadonlyArray<string>): string =>
    `{ ${names.filter((name) => body.includes(`${name}(`)).join(', ')} }`
  const isProgram = policyFrom.startsWith(EXEC)
  const imports = [
    [used('bindPolicy', 'outcomeDefect'), '@cloister/placement'],
    [used('ask', 'freePlacementDefect', 'request', 'stateOf'), '@cloister/placement/checks'],
    [used('parseIdset', 'parseTopology', 'topologyFromJson'), '@cloister/topology'],
    ['{ expect, test }', 'vitest'],
    isProgram ? ['{ Program }', '@cloister/run/node'] : ['policy', policyFrom],
  ]
  const start = `\n\nconst { policy } = new Program(${JSON.stringify(policyFrom.slice(EXEC.length))})`
  return `${imports.map(([names, from]) => `import ${names} from ${JSON.stringify(from)}`).join('\n')}${isProgram ? start : ''}

// ${source}
test(${JSON.stringify(titleOf(decision, asked))}, () => {
${body.replaceAll(/^(?=.)/gm, '  ')}
})
`
}

function machineCode(header: Header): string {
  const { name } = header.topology
  try {
    const json = (topology: ReturnType<typeof parseTopology>): string => JSON.stringify(topologyToJson(topology))
    if (json(parseTopology(name)) === json(headerTopology(header))) return `parseTopology(${JSON.stringify(name)})`
  } catch {
    // The name of the topology is no specification, for example if the topology comes from a file.
  }
  return `topologyFromJson(${JSON.stringify(header.topology)})`
}

function titleOf(decision: Decision, { request }: Asked): string {
  const job = `job ${decision.job} of ${request.nodes} nodes`
  if (decision.type === 'refuse') return `${job} is refused: ${decision.code}`
  if (decision.type === 'reject') return `${job} can never be placed`
  if (decision.type === 'fault') return `${job} gets a valid answer`
  const where = formatIdset(Array.from(resourcesOf(decision).nodes))
  return decision.type === 'allocate' ? `${job} starts on nodes ${where}` : `${job} has a reservation of nodes ${where}`
}

function expectations(decision: Decision): ReadonlyArray<string> {
  if (decision.type === 'refuse') return [`expect(outcome).toMatchObject({ ok: false, code: '${decision.code}' })`]
  if (decision.type === 'reject') return [`expect(outcome).toMatchObject({ ok: false, code: 'never' })`]
  if (decision.type === 'fault')
    return [
      'expect(outcomeDefect(outcome)).toBeUndefined()',
      'expect(outcome.ok && freePlacementDefect(state, outcome)).toBeFalsy()',
    ]
  const { nodes, links } = resourcesOf(decision)
  const sorted = (ids: string): string => `Array.from(${ids}).sort((a, b) => a - b)`
  const expected = (ids: ArrayLike<number>): string => idsCode(ids).replace(/^parseIdset.*$/, 'Array.from($&)')
  return [
    `expect(outcome.ok && ${sorted('outcome.nodes')}).toEqual(${expected(nodes)})`,
    ...links.flatMap((ids, level) =>
      ids.length === 0 ? [] : [`expect(outcome.ok && ${sorted(`outcome.links[${level}]`)}).toEqual(${expected(ids)})`],
    ),
  ]
}
