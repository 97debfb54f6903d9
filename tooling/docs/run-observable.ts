// Runs the JavaScript on standard input as a page of Observable Framework would: with `FileAttachment`, `display` and
// `Plot`. The file attachments are files of the working directory; `display` prints texts, and the names of elements.
import { readFileSync } from 'node:fs'
import * as Plot from '@observablehq/plot'
import { tableFromIPC } from '@uwdata/flechette'
import { parseHTML } from 'linkedom'

const FileAttachment = (name: string) => ({
  arrow: () => Promise.resolve(tableFromIPC(readFileSync(name))),
  text: () => Promise.resolve(readFileSync(name, 'utf8')),
})
const display = (value: unknown): void =>
  console.log(typeof value === 'object' && value !== null && 'localName' in value ? value.localName : value)

const { document, window } = parseHTML('<html></html>')
Object.assign(globalThis, { FileAttachment, display, Plot, document, window })
await import(`data:text/javascript,${encodeURIComponent(readFileSync(0, 'utf8'))}`)
