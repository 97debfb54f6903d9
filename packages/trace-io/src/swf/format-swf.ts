import { decimal } from '@cloister/workload'
import { swfFields } from './swf.ts'
import type { SwfTrace } from './swf.ts'

/**
 * Returns the text of an SWF file: the `;` lines and the lines of jobs, in the order of their line numbers, with one
 * space between values. `parseSwf` reads the same comments and columns from the text.
 */
export function formatSwf(trace: SwfTrace): string {
  const columns = swfFields.map((field) => trace.columns[field])
  const text: Array<string> = []
  let comment = 0
  for (let job = 0; job < trace.jobs; job++) {
    while (comment < trace.comments.length && trace.comments[comment].line < trace.lines[job])
      text.push(`;${trace.comments[comment++].text}\n`)
    let line = decimal(columns[0][job])
    for (let field = 1; field < columns.length; field++) line += ` ${decimal(columns[field][job])}`
    text.push(`${line}\n`)
  }
  while (comment < trace.comments.length) text.push(`;${trace.comments[comment++].text}\n`)
  return text.join('')
}
