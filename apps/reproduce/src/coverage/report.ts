import { Effect } from 'effect'
import type { Experiment } from '../experiment/reproduction.ts'
import { StoredOutputs } from '../experiment/services.ts'
import { type Comparison, comparisonTable } from '../report/comparison.ts'
import { reportOf, type Table } from '../report/report.ts'
import type { StoredOutput } from '../report/stored-output.ts'
import { agrees, comparisonOf, rule } from './agreement.ts'
import type { Claim, Rest } from './claim.ts'
import { combal } from './combal.ts'
import { jigsawResults } from './jigsaw-results.ts'
import { jigsawSchemes } from './jigsaw-schemes.ts'
import { mishraExecution } from './mishra-execution.ts'
import { mishraPatterns } from './mishra-patterns.ts'
import { type ImportantNumber, numbers as important } from './numbers.ts'
import { pascual } from './pascual.ts'
import { commandsOf } from './place.ts'
import { pollard } from './pollard.ts'

/** Claims of each paper, in the order of the paper's sections. */
export const papers: ReadonlyArray<{ readonly paper: string; readonly claims: ReadonlyArray<Claim> }> = [
  { paper: 'Jigsaw', claims: [...jigsawSchemes, ...jigsawResults] },
  { paper: 'Pollard', claims: pollard },
  { paper: 'Mishra', claims: [...mishraExecution, ...mishraPatterns] },
  { paper: 'Pascual', claims: pascual },
  { paper: 'Combal', claims: combal },
]

/** A claim with the comparisons of its values; no comparisons if the claim is not compared. */
interface Row {
  readonly paper: string
  readonly claim: Claim
  readonly comparisons: ReadonlyArray<Comparison>
  readonly agreeing: number
}

/** Returns a row for each claim of each paper. @throws Error if a stored output lacks a value */
export function rowsOf(outputs: ReadonlyArray<StoredOutput>): ReadonlyArray<Row> {
  return papers.flatMap(({ paper, claims }) =>
    claims.map((claim) => {
      const values = claim.kind === 'compared' ? claim.values : []
      const comparisons = values.map((value) => comparisonOf(claim.section, value, outputs))
      return { paper, claim, comparisons, agreeing: comparisons.filter(agrees).length }
    }),
  )
}

/** Experiment that lists the claims of all papers with the values of stored outputs, and simulates nothing. */
export const coverage: Experiment = Effect.gen(function* () {
  const rows = yield* knownRows
  return reportOf([countsOf(rows), claimsOf(rows), openOf(rows), valuesOf(rows)])
})

/** Experiment that lists the most important numbers of all papers beside ours. */
export const numbers: Experiment = Effect.gen(function* () {
  const rows = yield* knownRows
  return reportOf([
    {
      title: 'The most important numbers of the papers',
      heading: ['paper', 'section', 'number', 'paper has', 'here', 'agrees', 'why not'],
      rows: important.map((number) => {
        const { row, at } = find(rows, number)
        const [, text] = textsOf(row, at)
        const isAgreeing = agrees(row.comparisons[at])
        const why = isAgreeing || row.claim.kind !== 'compared' ? '' : restText(row.claim.rest)
        return [number.paper, row.claim.section, number.name, stated(row, at), text, isAgreeing ? 'yes' : 'no', why]
      }),
    },
  ])
})

const knownRows = Effect.gen(function* () {
  const { all } = yield* StoredOutputs
  return rowsOf(yield* all)
})

/** Finds the value of an important number. @throws Error if no value or several values have the description */
function find(rows: ReadonlyArray<Row>, number: ImportantNumber): { readonly row: Row; readonly at: number } {
  const found = rows
    .filter(({ paper, claim }) => paper === number.paper && claim.section === (number.section ?? claim.section))
    .flatMap((row) => row.comparisons.flatMap(({ what }, at) => (what === number.of ? [{ row, at }] : [])))
  if (found.length !== 1) throw new Error(`${JSON.stringify(number)}: found ${found.length} values, expected one`)
  return found[0]
}

function stated({ claim }: Row, at: number): string {
  return claim.kind === 'compared' ? claim.values[at].paper : ''
}

/** Returns the texts of a value: the paper's value as the row states it, and our value. */
function textsOf(row: Row, at: number): readonly [paper: string, ours: string] {
  const [[, , , ours]] = comparisonTable([row.comparisons[at]]).rows
  return [stated(row, at), ours]
}

function countsOf(rows: ReadonlyArray<Row>): Table {
  const counted = (paper: string): ReadonlyArray<string> => {
    const own = rows.filter((row) => row.paper === paper)
    const compared = own.filter(({ claim }) => claim.kind === 'compared')
    const values = compared.flatMap(({ comparisons }) => comparisons).length
    const agreeing = compared.reduce((sum, row) => sum + row.agreeing, 0)
    const ofKind = (kind: string): number => own.filter((row) => kindOf(row) === kind).length
    return [own.length, ...['agrees', 'explained', 'open', 'shown', 'not compared'].map(ofKind), values, agreeing].map(
      String,
    )
  }
  return {
    title: `How many; ${rule}`,
    heading: [
      'paper',
      'claims',
      'agree',
      'explained',
      'open',
      'shown by tests',
      'not compared',
      'values',
      'that agree',
    ],
    rows: papers.map(({ paper }) => [paper, ...counted(paper)]),
  }
}

/** Returns the kind of a row: `agrees` if every value agrees, else the kind of the reason. */
function kindOf({ claim, comparisons, agreeing }: Row): string {
  if (claim.kind !== 'compared') return claim.kind
  return agreeing === comparisons.length ? 'agrees' : (claim.rest?.kind ?? 'open')
}

function claimsOf(rows: ReadonlyArray<Row>): Table {
  return {
    title: 'Claims',
    heading: ['paper', 'section', 'claim', 'agree', 'made by', 'remark'],
    rows: rows.map((row) => [row.paper, row.claim.section, row.claim.claim, ...outcomeOf(row)]),
  }
}

function outcomeOf(row: Row): readonly [agree: string, madeBy: string, remark: string] {
  const { claim, comparisons, agreeing } = row
  if (claim.kind === 'shown') return ['shown', `(tests of ${claim.tests})`, claim.remark ?? '']
  if (claim.kind === 'not compared') return ['-', claim.command ?? '-', claim.reason]
  const commands = [...new Set(claim.values.flatMap(({ ours }) => commandsOf(ours)))]
  const remark = agreeing === comparisons.length ? '' : restText(claim.rest)
  const more = commands.length === 1 ? '' : ` and ${commands.length - 1} more`
  return [`${agreeing} of ${comparisons.length}`, `${commands[0]}${more}`, remark]
}

function restText(rest: Rest | undefined): string {
  if (rest === undefined) return 'open'
  return rest.kind === 'open' ? `open; tried: ${rest.tried}` : `explained: ${rest.why} (${rest.where})`
}

function openOf(rows: ReadonlyArray<Row>): Table {
  return {
    title: 'What stays open',
    heading: ['paper', 'section', 'claim', 'agree', 'tried'],
    rows: rows
      .filter((row) => kindOf(row) === 'open')
      .map(({ paper, claim, comparisons, agreeing }) => [
        paper,
        claim.section,
        claim.claim,
        `${agreeing} of ${comparisons.length}`,
        claim.kind === 'compared' && claim.rest?.kind === 'open' ? claim.rest.tried : '',
      ]),
  }
}

function valuesOf(rows: ReadonlyArray<Row>): Table {
  return {
    title: 'Values',
    heading: ['paper', 'section', 'value', 'paper has', 'here', 'agrees'],
    rows: rows.flatMap((row) =>
      row.comparisons.map((comparison, at) => [
        row.paper,
        row.claim.section,
        comparison.what,
        ...textsOf(row, at),
        agrees(comparison) ? 'yes' : 'no',
      ]),
    ),
  }
}
