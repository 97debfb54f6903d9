import Papa from 'papaparse'
import { quote, TraceError } from './errors.ts'

/** Record of a CSV file: its first line in the file, from 1, and its values without surrounding white space. */
export interface CsvRecord {
  readonly line: number
  readonly values: ReadonlyArray<string>
}

/**
 * Reads comma-separated values (RFC 4180): a value in quotes may hold commas, line ends and doubled quotes. Lines end
 * in LF, CRLF or CR. `readCsv` skips empty lines and a byte order mark.
 *
 * @param visit function that `readCsv` calls with every record in turn
 * @throws TraceError for a quoted value without a closing quote, or with text after the closing quote
 */
export function readCsv(text: string, file: string, visit: (record: CsvRecord) => void): void {
  const unix = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')
  let line = 1
  let at = 0
  Papa.parse<ReadonlyArray<string>>(unix, {
    delimiter: ',',
    newline: '\n',
    step: ({ data, errors: [error], meta }) => {
      if (error !== undefined) throw brokenQuote(file, line, unix.slice(at, meta.cursor))
      const values = data.map((value) => value.trim())
      if (values.length > 1 || values[0] !== '') visit({ line, values })
      line += lineFeeds(unix, at, meta.cursor)
      at = meta.cursor
    },
  })
}

/** Returns the comma-separated values of the first line of a text, without surrounding white space. */
export function firstCsvRecord(text: string): ReadonlyArray<string> {
  const [line] = text.replace(/^\uFEFF/, '').split(/[\r\n]/, 1)
  const [values = []] = Papa.parse<ReadonlyArray<string>>(line, { delimiter: ',' }).data
  return values.map((value) => value.trim())
}

function lineFeeds(text: string, from: number, to: number): number {
  let count = 0
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count++
  return count
}

function brokenQuote(file: string, line: number, record: string): TraceError {
  const [start] = record.split('\n', 1)
  return new TraceError({
    file,
    line,
    found: quote(start),
    expected: 'a closing quote for every opening quote, and doubled quotes inside',
  })
}
