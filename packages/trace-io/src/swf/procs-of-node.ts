import { directiveValue, type SwfDirective } from './swf.ts'

/**
 * The processors of a node, of a machine whose header tells how many nodes (MaxNodes) and processors (MaxProcs) it has; `uneven` where
 * that is no whole number, so that its nodes are of several sizes; undefined where a node is a processor, or nothing is told.
 */
export function procsOfNode(directives: ReadonlyArray<SwfDirective>): number | 'uneven' | undefined {
  const [nodes, procs] = ['MaxNodes', 'MaxProcs'].map((name) =>
    Number(/^[1-9]\d{0,8}(?!\S)/.exec(directiveValue(directives, name) ?? '')?.[0] ?? NaN),
  )
  if (Number.isNaN(nodes + procs) || nodes >= procs) return undefined
  return procs % nodes === 0 ? procs / nodes : 'uneven'
}
