import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatSwf, parseSwf, swfFields, type SwfTrace, TraceError } from '../src/index.ts'
import { decimal } from '@cloister/workload'
import { decimalSwfFields, swfMaximum } from '../src/swf/swf.ts'
import { jobRow } from './swf-arbitraries.ts'

const file = 'log.swf'
const parse = (text: string | Uint8Array): SwfTrace => parseSwf(text, { file })
const rows = (trace: SwfTrace): Array<Array<number>> =>
  Array.from({ length: trace.jobs }, (_, job) => swfFields.map((field) => trace.columns[field][job]))
const validRow = swfFields.map((_, index) => index + 1)
const comment = fc
  .string({ unit: fc.constantFrom('a', 'B', ':', ' ', '\t', ';', '1', 'é', '中') })
  .map((text) => `;${text}`)

function failure(text: string): TraceError {
  try {
    parse(text)
  } catch (error) {
    if (error instanceof TraceError) return error
    throw error
  }
  throw new Error(`no error for ${JSON.stringify(text)}`)
}

test('formatSwf writes numbers without exponent, and parseSwf reads the same numbers', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e20, noNaN: true }), (value) => {
      expect(decimal(value)).toMatch(/^\d+(\.\d+)?$/)
      expect(Number(decimal(value))).toBe(Math.abs(value))
    }),
  )
  expect([decimal(1.25e-7), decimal(1e-7), decimal(0.5), decimal(-1)]).toEqual([
    '0.000000125',
    '0.0000001',
    '0.5',
    '-1',
  ])
})

test('parseSwf reads back jobs, comments, order and line numbers that formatSwf writes', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(jobRow, comment), { maxLength: 20 }), (lines) => {
      const text = lines.map((line) => `${typeof line === 'string' ? line : line.map(decimal).join(' ')}\n`).join('')
      const trace = parse(text)
      expect(rows(trace)).toEqual(lines.filter((line) => typeof line !== 'string'))
      expect(trace.comments.map((kept) => `;${kept.text}`)).toEqual(lines.filter((line) => typeof line === 'string'))
      const lineNumbers = lines.flatMap((line, index) => (typeof line === 'string' ? [] : [index + 1]))
      expect([...trace.lines]).toEqual(lineNumbers)
      expect(formatSwf(trace)).toBe(text)
    }),
  )
})

test('parseSwf gives the same jobs for any white space and line ends, and with a byte order mark', () => {
  const blanks = fc.string({ unit: fc.constantFrom(' ', '\t'), minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(
      fc.array(jobRow, { minLength: 1, maxLength: 5 }),
      blanks,
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.boolean(),
      fc.boolean(),
      (jobs, blank, end, mark, last) => {
        const lines = jobs.map((row) => blank + row.map(decimal).join(blank) + blank)
        const text = (mark ? '\ufeff' : '') + ['; Note: x', '', ...lines].join(end) + (last ? end : '')
        const trace = parse(text)
        expect(rows(trace)).toEqual(jobs)
        expect([...trace.lines]).toEqual(jobs.map((_, index) => index + 3))
        expect(trace.comments).toEqual([{ line: 1, text: ' Note: x' }])
      },
    ),
  )
})

test('parseSwf reports a bad value with its line and field', () => {
  const bad = fc.constantFrom(
    'x',
    '1x',
    '-',
    '--1',
    '+1',
    '1e3',
    '.5',
    '5.',
    '1.2.3',
    '-2',
    '-0',
    '-1.5',
    'NaN',
    '0x10',
    '1,5',
    ';',
    '9007199254741',
    '99999999999999999999',
    '\u0000',
    'é',
  )
  fc.assert(
    fc.property(
      fc.array(jobRow, { maxLength: 5 }),
      fc.nat(17),
      bad,
      fc.array(jobRow, { maxLength: 2 }),
      (before, index, word, after) => {
        const broken = validRow.map((value, at) => (at === index ? word : String(value)))
        if (index === 0 && word === ';') return
        // The parser keeps a negative status, because archives have status codes that SWF does not define.
        if (swfFields[index] === 'status' && word === '-2') return
        const text = [
          '; Version: 2.2',
          ...before.map((row) => row.map(decimal).join(' ')),
          '',
          broken.join('\t'),
          ...after.map((row) => row.map(decimal).join(' ')),
        ].join('\n')
        const error = failure(text)
        expect([error.line, error.field]).toEqual([before.length + 3, swfFields[index]])
        expect(error.found).toBe(JSON.stringify(word))
        expect(error.message).toContain(`log.swf, line ${before.length + 3}, field ${swfFields[index]}: found`)
      },
    ),
  )
})

test('parseSwf refuses decimals in the fields of whole numbers, and only in these fields', () => {
  for (const [index, field] of swfFields.entries()) {
    const text = validRow.map((value, at) => (at === index ? '7.25' : String(value))).join(' ')
    if (decimalSwfFields.has(field)) expect(parse(text).columns[field][0]).toBe(7.25)
    else
      expect(failure(text)).toMatchObject({
        line: 1,
        field,
        found: '"7.25"',
        expected: 'a whole number, or -1 (unknown)',
      })
  }
})

test('parseSwf reports lines with too few or too many fields', () => {
  for (let count = 1; count < 18; count++) {
    const error = failure(validRow.slice(0, count).join(' '))
    expect(error).toMatchObject({
      line: 1,
      field: swfFields[count],
      found: `the end of the line after ${count} fields`,
      expected: '18 fields',
    })
  }
  const expected = '18 fields, and at most 3 more numbers'
  expect(failure([...validRow, 19, 20, 21, 22].join(' '))).toMatchObject({
    line: 1,
    field: undefined,
    found: '22 fields',
    expected,
  })
  expect(failure([...validRow, 19, 'x'].join(' '))).toMatchObject({
    line: 1,
    field: undefined,
    found: '"x" behind the 18 fields',
    expected,
  })
})

test('parseSwf reads the largest value of a field, and refuses a value larger by 1', () => {
  expect(parse(validRow.map(() => swfMaximum).join(' ')).columns.wait[0]).toBe(swfMaximum)
  expect(failure(validRow.map(() => swfMaximum + 1).join(' ')).expected).toBe(`a number of at most ${swfMaximum}`)
})

/** Plain reader of SWF for comparison, which reads line by line with regular expressions. */
function naive(text: string): { readonly jobs: Array<Array<number>>; readonly comments: Array<string> } | 'refused' {
  const lines = text
    .replace(/^\ufeff/, '')
    .split(/\r\n|\n|\r/)
    .map((raw) => raw.replace(/^[ \t]+/, ''))
  const jobs: Array<Array<number>> = []
  for (const line of lines.filter((each) => each !== '' && !each.startsWith(';'))) {
    const words = line.trim().split(/[ \t]+/)
    const isJob =
      words.length >= 18 &&
      words.length <= 21 &&
      words.every((word) => /^-?\d+(\.\d+)?$/.test(word)) &&
      words
        .slice(0, 18)
        .every(
          (word, index) =>
            (!word.startsWith('-') || Number(word) === -1 || (index === 10 && Number(word) < 0)) &&
            Math.abs(Number(word)) <= swfMaximum &&
            (decimalSwfFields.has(swfFields[index]) || Number.isInteger(Number(word))),
        )
    if (!isJob) return 'refused'
    jobs.push(words.slice(0, 18).map(Number))
  }
  return { jobs, comments: lines.filter((line) => line.startsWith(';')).map((line) => line.slice(1)) }
}

test('parseSwf reads damaged text like a plain reader, or throws a TraceError', () => {
  const damage = fc.record({
    at: fc.nat(),
    remove: fc.nat(3),
    insert: fc.string({
      unit: fc.constantFrom('0', '1', '-', '.', ' ', '\t', '\n', '\r', ';', 'a', 'é'),
      maxLength: 3,
    }),
  })
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          jobRow.map((row) => row.map(decimal).join(' ')),
          comment,
        ),
        { minLength: 1, maxLength: 4 },
      ),
      fc.array(damage, { maxLength: 3 }),
      (lines, damages) => {
        let text = lines.join('\n')
        for (const { at, remove, insert } of damages) {
          const position = at % (text.length + 1)
          text = text.slice(0, position) + insert + text.slice(position + remove)
        }
        const expected = naive(text)
        if (expected === 'refused') {
          const error = failure(text)
          expect(error.line).toBeGreaterThan(0)
        } else {
          const trace = parse(text)
          expect({ jobs: rows(trace), comments: trace.comments.map((kept) => kept.text) }).toEqual(expected)
        }
      },
    ),
    { numRuns: 2000 },
  )
})

test('parseSwf gives a TraceError or only comments for random bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      try {
        expect(parse(bytes).jobs).toBe(0)
      } catch (error) {
        expect(error).toBeInstanceOf(TraceError)
      }
    }),
  )
})

test('parseSwf refuses a table that is not SWF at its first word', () => {
  expect(failure('Job_name Submit Runtime Nodes Comment Perc\n1 2 3 4 5 6\n')).toMatchObject({
    line: 1,
    field: 'job',
    found: '"Job_name"',
  })
})

test('readDirectives reads repeated, continued and oddly indented directives, and no similar comments', () => {
  const trace = parse(
    [
      '; Version: 2.2',
      ';   --- converted: by hand',
      ';',
      ';MaxNodes: 7',
      '; Information: http://a.example/',
      ';              http://b.example/',
      ';\tsee: below',
      ';',
      ';   lost',
      '; Note: one',
      ';   ',
      '; Note:',
      ';   Queue: 1  express',
      '; Partition: 19  `;',
      '; a word: not a name',
      '; Time:12',
    ].join('\n'),
  )
  expect(trace.comments).toHaveLength(16)
  expect(trace.directives).toEqual([
    { line: 1, name: 'Version', value: '2.2\n--- converted: by hand' },
    { line: 4, name: 'MaxNodes', value: '7' },
    { line: 5, name: 'Information', value: 'http://a.example/\nhttp://b.example/\nsee: below' },
    { line: 10, name: 'Note', value: 'one' },
    { line: 12, name: 'Note', value: '' },
    { line: 13, name: 'Queue', value: '1  express' },
    { line: 14, name: 'Partition', value: '19  `;' },
  ])
})

test('parseSwf reads comments in Latin-1 as Latin-1', () => {
  expect(parse(Uint8Array.from([0x3b, 0xc5, 0x6b, 0x65, 0x0a])).comments[0].text).toBe('Åke')
  expect(parse('; Åke\n').comments[0].text).toBe(' Åke')
})

test('parseSwf skips up to three numbers after the 18 fields, and counts the lines with such numbers', () => {
  const trace = parse(
    [validRow, [...validRow, 19], [...validRow, '-1', '2.5', '21 ']].map((row) => row.join(' ')).join('\n'),
  )
  expect(rows(trace)).toEqual([validRow, validRow, validRow])
  expect(trace.longLines).toBe(2)
})

test('parseSwf keeps a status that SWF does not define', () => {
  const withStatus = (status: number | string): string => validRow.map((v, i) => (i === 10 ? status : v)).join(' ')
  const trace = parse([-4, 7, -1, 1].map(withStatus).join('\n'))
  expect([...trace.columns.status]).toEqual([-4, 7, -1, 1])
  expect(formatSwf(trace)).toBe(`${[-4, 7, -1, 1].map(withStatus).join('\n')}\n`)
  for (const status of ['-4.5', '-0', '--4']) expect(failure(withStatus(status))).toMatchObject({ field: 'status' })
})

test('the option skipBadLines of parseSwf skips and counts bad lines, and keeps the errors of the first three', () => {
  const row = validRow.join(' ')
  const text = ['; Note: x', row, 'one', '', '1 2', row, `${row} x`, '1 -2', 'four'].join('\r\n')
  const trace = parseSwf(text, { file, skipBadLines: true })
  expect([...trace.lines]).toEqual([2, 6])
  expect(rows(trace)).toEqual([validRow, validRow])
  expect(trace.badLines).toMatchObject({ count: 5, first: [{ line: 3 }, { line: 5 }, { line: 7 }] })
  expect(() => parse(text)).toThrow(trace.badLines!.first[0].message)
})
