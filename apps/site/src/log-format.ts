// Folds the table of fields in the format of event logs: a table for each type of record.

/** Returns a page of the log's format, in which readers open the table of fields of one type of record. */
export function withFoldedFields<Page extends { readonly markdown: string }>(page: Page): Page {
  const markdown = page.markdown
    .replaceAll(/^<!-- .* -->\n/gm, '')
    .replace(/^\| Record \| Field .*\n.*\n((?:\|.*\n)+)/m, (_, rows: string) =>
      [...Map.groupBy(rows.trimEnd().split('\n'), (row) => /^\| ([a-z, ]+?)(?: `| \|)/.exec(row)![1])]
        .map(([type, own]) => `::: details ${type}: ${own.length} fields\n${HEAD}${own.join('\n')}\n:::\n`)
        .join('\n'),
    )
  return { ...page, markdown }
}

const HEAD = '| record | field | value | meaning |\n|---|---|---|---|\n'
