import { flag, list, named, number, of, optional, orNull, struct, text } from './kinds.ts'

export const PgftShape = named(
  'PgftShape',
  'Shape of PGFT(h; m1..mh; w1..wh; p1..ph), Zahavi 2010, leaves first: `m` is the number of children of a switch of each level, `w` the parents of a node or switch of the level below, `p` the parallel cables to each parent.',
  { m: list(number()), w: list(number()), p: list(number()) },
)
export type PgftShape = typeof PgftShape.Type

export const Taper = named(
  'Taper',
  'Numbers of links of a switch: `down` to nodes or child switches, and `up` to parents.',
  { down: number(), up: number() },
)
export type Taper = typeof Taper.Type

/** Results of commands with `--json`, by command. */
export const machinesResults = {
  'topology show': struct({
    name: text(),
    pgft: optional(PgftShape),
    envelope: optional(of(PgftShape, 'Shape of the whole tree, and the parts that it lacks, if parts are absent.')),
    absent: optional(text()),
    missingCables: optional(list(text())),
    irregularity: optional(text()),
    remarks: optional(list(text())),
    nodes: number(),
    leaves: number(),
    blocks: optional(
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
        commonFrom: optional(
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
