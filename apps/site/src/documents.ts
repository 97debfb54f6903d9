// Lists the repository's documents that are pages of the site, with the paths of the pages. No text is copied by hand:
// every build makes the pages again.
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { withFoldedFields } from './log-format.ts'

/** A page with a document of the repository, or with sections of a document. */
export interface DocumentPage extends Page {
  /** Path of the document, from the repository's root. */
  readonly document: string
  /** Part of the document on the page. Links to the document lead to the page with the whole document or with its main part. */
  readonly part: 'whole' | 'main' | 'sections'
}

interface DocumentChapter extends Chapter {
  readonly pages: ReadonlyArray<DocumentPage>
}

/** Documents on several pages, with the headings of the sections that have an own page. */
const CLUSTERS = 'docs/clusters.md'
const DRIVING = ['Driving a partition']
const PROGRAM = 'apps/cli/README.md'
const EXPERIMENTS = ['Experiments', 'For scripts']
const LOGS = ['A run that was cut off', 'Signatures', 'A policy that fails', 'From a log to a test']

/** Returns the chapters whose pages are documents, in the order of the list beside every page. */
export function documentChapters(root: string): ReadonlyArray<DocumentChapter> {
  const read = (document: string): string => readFileSync(join(root, document), 'utf8')
  const whole = (document: string, path: string, name = titleOf(read(document))): DocumentPage => ({
    path,
    name,
    document,
    part: 'whole',
    markdown: read(document),
  })
  const sections = (document: string, path: string, name: string, headings: ReadonlyArray<string>): DocumentPage => ({
    path,
    name,
    document,
    part: 'sections',
    markdown: `# ${name}\n\n${headings.map((heading) => section(read(document), heading, document)).join('\n')}`,
  })
  const without = (document: string, path: string, name: string, others: ReadonlyArray<string>): DocumentPage => ({
    path,
    name,
    document,
    part: 'main',
    markdown: others.reduce((text, heading) => text.replace(section(text, heading, document), ''), read(document)),
  })
  const format = 'packages/eventlog/SPEC.md'
  const ours = (name: string): DocumentPage => whole(`apps/site/pages/${name}.md`, name)
  const folders = (pattern: string, into: string): ReadonlyArray<DocumentPage> =>
    globSync(`${pattern}/README.md`, { cwd: root })
      .sort()
      .map((document) => whole(document, `${into}/${basename(dirname(document))}`, basename(dirname(document))))
  const experiments = globSync('apps/reproduce/experiments/*.md', { cwd: root })
    .filter((document) => !document.endsWith('README.md'))
    .sort()
    .map((document) => whole(document, `papers/${basename(document, '.md')}`))

  return [
    {
      title: 'Tutorials',
      pages: [
        whole('docs/first-session.md', 'tutorials/first-run'),
        ours('tutorials/read-a-log'),
        ours('tutorials/debug-a-wait'),
        ours('tutorials/write-a-policy'),
        ours('tutorials/write-a-policy-in-python'),
        ours('tutorials/write-a-router'),
        ours('tutorials/write-an-order'),
        whole('apps/create-cloister-policy/README.md', 'tutorials/publish-a-policy', 'Publish a policy'),
        without(CLUSTERS, 'tutorials/your-own-cluster', 'Your own cluster', DRIVING),
        whole('docs/machine-files.md', 'tutorials/machine-files'),
        sections(CLUSTERS, 'tutorials/drive-a-partition', 'Drive a partition', DRIVING),
        whole('docs/tables.md', 'tutorials/tables'),
        whole('docs/queries.md', 'tutorials/queries'),
        whole('docs/figures.md', 'tutorials/figures'),
        whole('docs/reproduce.md', 'tutorials/reproduce-a-paper'),
        sections(PROGRAM, 'tutorials/sweep-on-a-cluster', 'Sweep on a cluster', EXPERIMENTS),
      ],
    },
    {
      title: 'Papers',
      pages: [whole('apps/reproduce/experiments/README.md', 'papers/index', 'What came out'), ...experiments],
    },
    {
      title: 'The project',
      pages: [
        whole('README.md', 'project/overview', 'Overview'),
        whole('docs/packages.md', 'project/packages'),
        whole('docs/versions.md', 'project/versions'),
        whole('docs/speed.md', 'project/speed'),
        whole('CONTRIBUTING.md', 'project/contributing'),
        ours('glossary'),
      ],
    },
    {
      title: 'The log',
      pages: [
        {
          path: 'reference/log/format',
          name: 'Its format',
          document: format,
          part: 'main',
          markdown: read(format).split('\n## Inputs\n')[0],
        },
        sections(format, 'reference/log/records', 'Its records', [
          'Inputs',
          'Decisions',
          'Forwarding tables',
          'Observed and driven logs',
          'End',
          'Seals',
        ]),
        withFoldedFields(sections(format, 'reference/log/fields', 'Fields of the records', ['Fields'])),
        sections(format, 'reference/log/reading', 'Readers and versions', [
          'Reading',
          'Limits',
          'Compressed logs',
          'Versions',
          'A complete log',
        ]),
        whole('packages/exports/TABLES.md', 'reference/log/tables'),
        whole('packages/exports/QUERIES.md', 'reference/log/queries'),
        whole('packages/audit/INVARIANTS.md', 'reference/log/invariants', 'What the auditor tests'),
      ],
    },
    {
      title: 'Policies',
      pages: [
        ...folders('packages/policies/*', 'reference/policies'),
        whole('packages/placement/PROTOCOL.md', 'reference/policy-protocol', 'Policies in any language'),
      ],
    },
    {
      title: 'Packages',
      pages: [
        ...folders('packages/*', 'reference/packages'),
        without(PROGRAM, 'reference/apps/cli', 'cloister', [...EXPERIMENTS, ...LOGS]),
        sections(PROGRAM, 'reference/apps/logs', 'Logs and tests of cloister', LOGS),
        whole('apps/viewer/README.md', 'reference/apps/viewer', 'viewer'),
        whole('apps/reproduce/README.md', 'reference/apps/reproduce', 'reproduce'),
        whole('apps/sweep-postgres/README.md', 'reference/apps/sweep-postgres', 'sweep-postgres'),
        whole('apps/site/README.md', 'reference/apps/site', 'site'),
      ],
    },
  ]
}

/**
 * Returns the path of the page that shows each document, and of the page that shows each heading of a document on several
 * pages: the keys are `SECURITY.md`, `packages/eventlog/SPEC.md` and `packages/eventlog/SPEC.md#limits`.
 */
export function pagesOf(shown: ReadonlyArray<DocumentPage>): ReadonlyMap<string, string> {
  const pages = new Map(shown.filter(({ part }) => part !== 'sections').map(({ document, path }) => [document, path]))
  for (const { document, path, markdown } of shown.filter(({ part }) => part !== 'whole'))
    for (const [, heading] of markdown.matchAll(/^##+ (.+)$/gm)) pages.set(`${document}#${slugify(heading)}`, path)
  return pages
}

/** Returns the id of a heading by GitHub's rule, because links in the documents contain GitHub's ids. */
export function slugify(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-')
}

/** Returns the first page of the site, which is in no chapter. */
export function startPage(root: string): DocumentPage {
  const document = 'apps/site/pages/index.md'
  return {
    path: 'index',
    name: 'Cloister',
    document,
    part: 'whole',
    markdown: readFileSync(join(root, document), 'utf8'),
  }
}

/** Returns a section `##` of a document up to the next heading `#` or `##`. @throws Error if the section is missing */
export function section(markdown: string, heading: string, document: string): string {
  const lines = markdown.split('\n')
  const from = lines.indexOf(`## ${heading}`)
  if (from === -1) throw new Error(`${document} has no section "${heading}", from which a page of the site is made`)
  let isCode = false
  const length = lines.slice(from + 1).findIndex((line) => {
    if (line.startsWith('```')) isCode = !isCode
    return !isCode && /^##? /.test(line)
  })
  return `${lines
    .slice(from, length === -1 ? undefined : from + 1 + length)
    .join('\n')
    .trimEnd()}\n`
}

/** A page of the site before VitePress: Markdown and a path. */
export interface Page {
  /** Path on the site without an extension: `reference/packages/topology`. */
  readonly path: string
  /** Name in lists of pages. */
  readonly name: string
  readonly markdown: string
}

/** Pages with a common title in the list beside every page. */
export interface Chapter {
  readonly title: string
  readonly pages: ReadonlyArray<Page>
}

/** Returns the title of a Markdown document. @throws Error if the document has no title */
function titleOf(markdown: string): string {
  const title = /^# (.+)$/m.exec(markdown)?.[1]
  if (title === undefined) throw new Error('a document begins with its title: # …')
  return title.replaceAll('`', '')
}
