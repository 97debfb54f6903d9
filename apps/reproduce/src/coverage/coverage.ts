import { Effect } from 'effect'
import { items as combal } from '../combal/coverage.ts'
import type { Experiment } from '../experiment/experiment.ts'
import { items as jigsaw } from '../jigsaw/coverage.ts'
import { items as mishra } from '../mishra/coverage.ts'
import { items as pascual } from '../pascual/coverage.ts'
import { items as pollard } from '../pollard/coverage.ts'
import type { Item } from './item.ts'

/** Figures, tables, algorithms and claims of each paper, with the commands or tests that reproduce them. */
export const papers: ReadonlyArray<{ readonly paper: string; readonly items: ReadonlyArray<Item> }> = [
  { paper: 'Jigsaw', items: jigsaw },
  { paper: 'Pascual', items: pascual },
  { paper: 'Pollard', items: pollard },
  { paper: 'Mishra', items: mishra },
  { paper: 'Combal', items: combal },
]

const verdicts = ['holds', 'in part', 'does not hold', 'shown', 'none'] as const

/** Experiment that lists the items of all papers (figures, tables, algorithms, claims) and simulates nothing. */
export const coverage: Experiment = Effect.succeed({
  tables: [
    {
      title: 'Every item',
      heading: ['paper', 'item', 'command', 'verdict', 'remark'],
      rows: papers.flatMap(({ paper, items }) =>
        items.map(({ item, command, verdict, remark }) => [paper, item, command ?? '-', verdict, remark ?? '']),
      ),
    },
    {
      title: 'How many',
      heading: ['paper', 'items', ...verdicts],
      rows: papers.map(({ paper, items }) => [
        paper,
        String(items.length),
        ...verdicts.map((each) => String(items.filter(({ verdict }) => verdict === each).length)),
      ]),
    },
  ],
  comparisons: [],
  charts: [],
})
