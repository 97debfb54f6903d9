import { flag, list, named, number, of, oneOf, optional, orNull, struct, text } from './kinds.ts'

export const PathResult = named(
  'PathResult',
  'Path of a message between two nodes, by the names of nodes, switches and links.',
  {
    arrives: flag(),
    switches: list(
      text(),
      'Switches on the path, from the leaf of `from` on. The last switch loses the message unless the message arrives.',
    ),
    links: list(
      struct({ level: number(), link: number(), direction: oneOf(['down', 'up']), name: text() }),
      'Links between the switches, with the id of the link on its level. The name has the sender first.',
    ),
    lost: orNull(
      oneOf(['loop', 'no-entry', 'no-port', 'other-node']),
      'Reason why the last switch loses the message; null if the message arrives.',
    ),
    text: text('The path in words: `node3 → leaf1 → l2-2 → leaf4 → node40`.'),
    from: text(),
    to: text(),
  },
)
export type PathResult = typeof PathResult.Type

export const PathAtMoment = named('PathAtMoment', 'Path between two nodes at one moment of a log.', {
  seq: number('Number of the last record before the moment, and time in seconds.'),
  t: number(),
  scheme: text("Name of the log's router, or of the computed tables of a log without a router."),
  job: orNull(text(), 'Running job that holds both nodes; null if no job holds both.'),
  ...PathResult.fields,
})
export type PathAtMoment = typeof PathAtMoment.Type

export const JobRoutes = named('JobRoutes', 'Routes of a job at one moment of a log with a router.', {
  router: text('Name of the router.'),
  seq: number('Number of the last record before the moment, and time in seconds.'),
  t: number(),
  entries: number('Entries in the tables from route records of the job, and switches with such an entry.'),
  switches: number(),
  pairs: number('Ordered pairs of different nodes of the job, and the number of these pairs without a path.'),
  lost: number(),
  firstLost: orNull(text(), 'First pair without a path, in words; null if all pairs have a path.'),
  links: number('Number of links in one direction that the paths of the job use.'),
  busiest: orNull(
    struct({ name: text(), destinations: number() }),
    'Link with the most destinations: nodes of the job whose messages use the link; null if no path uses a link.',
  ),
  path: optional(of(PathResult, 'Path between the nodes of `--from` and `--to`.')),
})
export type JobRoutes = typeof JobRoutes.Type
