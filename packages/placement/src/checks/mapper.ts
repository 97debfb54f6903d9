import { parseTopology, type Topology } from '@cloister/topology'
import type { ByteMatrix, Mapper } from '../mapper.ts'
import { Draw } from './draws.ts'

/** Conformance check of one property of a mapper. */
export interface MapperCheck {
  readonly name: string
  /** @throws Error that names the topology, the nodes and the fault, if the mapper fails */
  readonly run: () => void
}

interface Question {
  readonly topology: Topology
  readonly nodes: ReadonlyArray<number>
  readonly matrix: ByteMatrix
}

const machines = ['pgft:2;4,4;1,2;1,1', 'kary:2:3', 'pgft:3;3,2,2;1,3,1;1,1,3']
const QUESTIONS = 20

/** Returns one check for each property that the contract demands of a mapper, for any test runner. */
export function mapperChecks(mapper: Mapper): ReadonlyArray<MapperCheck> {
  return [
    { name: 'has the members of its contract', run: () => checkMembers(mapper) },
    { name: 'gives each rank a different node of the job', run: () => ask(mapper, permutationDefect) },
    { name: 'answers equal questions equally, in any order of the questions', run: () => checkRepeats(mapper) },
    { name: 'does not change its arguments', run: () => ask(mapper, changeDefect) },
  ]
}

function checkMembers(mapper: Mapper): void {
  const { contract, name } = mapper
  if ((contract as number) !== 1) throw new Error(`the mapper's contract is ${contract}, expected 1`)
  if (!/^[a-z][a-z0-9-]*$/.test(name))
    throw new Error(
      `the mapper's name is ${JSON.stringify(name)}; expected a lower-case letter, then lower-case letters, digits and '-'`,
    )
  if (typeof mapper.map !== 'function') throw new Error(`the mapper's map is ${typeof mapper.map}, expected a function`)
}

function questions(): ReadonlyArray<Question> {
  return machines.flatMap((machine, at) => {
    const topology = parseTopology(machine)
    const draw = new Draw(at + 1)
    return Array.from({ length: QUESTIONS }, (_, number) => {
      const nodes = Array.from({ length: topology.nodes }, (__, node) => node).filter(
        () => number === 0 || draw.once(2),
      )
      const kind = number % 3
      const bytes = nodes.map(() => nodes.map(() => (kind === 0 ? 0 : draw.pick([0, 0, 1, 4096, 5_000_000]))))
      const matrix = kind === 1 ? bytes.map((row, i) => row.map((value, j) => (i < j ? value : bytes[j][i]))) : bytes
      return { topology, nodes, matrix }
    })
  })
}

function ask(mapper: Mapper, defectOf: (mapper: Mapper, question: Question) => string | undefined): void {
  for (const question of questions()) {
    const defect = defectOf(mapper, question)
    if (defect === undefined) continue
    throw new Error(`on ${question.topology.name}, nodes ${question.nodes.join()}: ${defect}`)
  }
}

function permutationDefect(mapper: Mapper, { topology, nodes, matrix }: Question): string | undefined {
  const ranks = Array.from(mapper.map(topology, nodes, matrix))
  if (ranks.length !== nodes.length) return `map returned the nodes of ${ranks.length} ranks, expected ${nodes.length}`
  const sorted = ranks.toSorted((a, b) => a - b)
  const wrong = sorted.findIndex((node, at) => node !== nodes[at])
  return wrong < 0 ? undefined : `map put the ranks on nodes ${sorted.join()}; expected each node of the job once`
}

function changeDefect(mapper: Mapper, { topology, nodes, matrix }: Question): string | undefined {
  const before = JSON.stringify([nodes, matrix])
  mapper.map(topology, nodes, matrix)
  return JSON.stringify([nodes, matrix]) === before
    ? undefined
    : 'map changed its argument nodes or its argument matrix'
}

function checkRepeats(mapper: Mapper): void {
  const all = questions()
  const answer = ({ topology, nodes, matrix }: Question): string =>
    Array.from(mapper.map(topology, nodes, matrix)).join()
  const first = all.map(answer)
  const again = all.toReversed().map(answer).reverse()
  const other = first.findIndex((ranks, at) => ranks !== again[at])
  if (other >= 0)
    throw new Error(
      `on ${all[other].topology.name}: map put the ranks on nodes ${first[other]}, but on nodes ${again[other]} when asked again`,
    )
}
