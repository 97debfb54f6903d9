import { expect, test } from 'vitest'
import { AsciiBuffer, ascii } from '../src/log/ascii.ts'

/** Length in bytes of the buffer of a new AsciiBuffer. */
const FIRST_SIZE = 1 << 16

test.each([
  ['a literal', '"seq":', (buffer: AsciiBuffer) => buffer.literal(ascii('"seq":'))],
  ['an integer', '2147483647', (buffer: AsciiBuffer) => buffer.natural(2147483647)],
  ['a large integer', '9007199254740991', (buffer: AsciiBuffer) => buffer.natural(Number.MAX_SAFE_INTEGER)],
  ['ids', '"4194300,4194302-4194303"', (buffer: AsciiBuffer) => buffer.idset([4194300, 4194302, 4194303])],
  ['no ids', '""', (buffer: AsciiBuffer) => buffer.idset([])],
])('AsciiBuffer grows when it writes %s, for any number of free bytes', (_, text, write) => {
  for (let room = 0; room <= text.length + 2; room++) {
    const buffer = new AsciiBuffer()
    buffer.literal(new Uint8Array(FIRST_SIZE - room).fill(32))
    write(buffer)
    buffer.literal(ascii('.'))
    expect(Buffer.from(buffer.view(FIRST_SIZE - room)).toString('latin1')).toBe(`${text}.`)
  }
})
