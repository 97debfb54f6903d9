import { flag, list, named, number, of, orNull, orUndefined, struct, text } from './kinds.ts'

const PgftShape = named(
  'PgftShape',
  'Shape of PGFT(h; m1..mh; w1..wh; p1..ph), Zahavi 2010, leaves first: `m` is the number of children of a switch of each level, `w` the parents of a node or switch of the level below, `p` the parallel cables to each parent.',
  { m: list(number()), w: list(number()), p: list(number()) },
)

const Taper = named('Taper', 'Numbers of links of a switch: `down` to nodes or child switches, and `up` to parents.', {
  down: number(),
  up: number(),
})

/** Results of commands with `--json`, by command. */
export const machinesResults = {
  'topology show': struct({
    name: text(),
    pgft: orUndefined(PgftShape),
    envelope: orUndefined(of(PgftShape, 'Shape of the whole tree, and the parts that it lacks, if parts are absent.')),
    absent: orUndefined(text()),
    missingCables: orUndefined(list(text())),
    irregularity: orUndefined(text()),
    remarks: orUndefined(list(text())),
    nodes: number(),
    leaves: number(),
    blocks: orUndefined(
      list(
        struct({ name: text(), nodes: text() }),
        'Blocks of nodes, such as NVLink domains, with the ids of their nodes.',
      ),
    ),
    pods: number(),
    isFullBisection: flag('True if every switch below the top has at least as many links up as down.'),
    rails: orNull(
      struct({
        count: number('Number of rails, from 2 to 64.'),
        commonFrom: orUndefined(
          number(
            'Lowest level of the switches that all rails have in common, at least 1; absent if the rails have no common switch. Rails never have a common cable: a common switch has the cables of each rail.',
          ),
        ),
        switches: list(number()),
      }),
      'Rails of a machine whose nodes have several adapters, or null; all other numbers count one rail.',
    ),
    levels: list(
      struct({
        level: text(),
        switches: number(),
        links: number(),
        upPorts: struct({ min: number(), max: number() }),
        taper: orNull(Taper, 'Links down and up of the most tapered switch of the level, or null at the top level.'),
      }),
    ),
  }),
  'observe slurm': struct({
    polls: number(),
    records: number(),
    gaps: number(),
    sharedNodes: number(),
    unknownNodes: number(),
    withoutEnd: number(),
    shadowAnswers: number(),
    log: struct({ file: text(), bytes: number() }),
  }),
  'drive slurm': struct({
    changes: number(),
    failed: number(),
    leaseErrors: number(),
    polls: number(),
    records: number(),
    decisions: number(),
    decidingMilliseconds: number(),
  }),
  'drive watchdog': struct({ handedBack: number(), diskErrors: number() }),
}
