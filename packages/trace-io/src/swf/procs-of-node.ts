import { directiveValue, type SwfDirective } from './swf.ts'

/**
 * Returns the number of processors of a node: `MaxProcs` / `MaxNodes` of the header of an SWF file. Returns `uneven` if
 * the quotient is no whole number, because the machine then has nodes of several sizes. Returns undefined if a
 * directive is missing or no number, or if `MaxNodes` is not below `MaxProcs`.
 */
export function procsOfNode(directives: ReadonlyArray<SwfDirective>): number | 'uneven' | undefined {
  const [nodes, procs] = ['MaxNodes', 'MaxProcs'].map((name) =>
    Number(/^[1-9]\d{0,8}(?!\S)/.exec(directiveValue(directives, name) ?? '')?.[0] ?? NaN),
  )
  if (Number.isNaN(nodes + procs) || nodes >= procs) return undefined
  return procs % nodes === 0 ? procs / nodes : 'uneven'
}
