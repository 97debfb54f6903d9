import { quoteWord, type RunOptionName, runOptionNames } from '@cloister/run'
import { publicLog } from '@cloister/trace-io'
import { haveReplicates, type TimedResult } from '@cloister/sweep'
import { count, counted, decimal } from '../../terminal/quantities.ts'
import type { Block } from './appendix-text.ts'
import type { SweepReport } from './report-page.ts'
import { differenceRows, groupRows, optionText, unpairedLines } from './tables.ts'

/** Facts of a sweep for the appendix, besides the report: every cell of the experiment has a result. */
export interface AppendixFacts extends Omit<SweepReport, 'results'> {
  readonly results: ReadonlyArray<TimedResult>
  /** Name of the results file, and the SHA-256 of the results in the order of the experiment. */
  readonly out: string
  readonly sha256: string
  /** SHA-256 of each file that the runs read, by path. The experiment is the first file. */
  readonly inputs: ReadonlyMap<string, string>
  /** Names of the policies that are part of Cloister. */
  readonly builtIn: ReadonlySet<string>
  readonly audit: boolean
  /** Policy of `--baseline`; undefined by default. */
  readonly baseline: string | undefined
}

/**
 * Returns the artifact description and the artifact evaluation that SC asks for, with the sections of SC24
 * (https://sc24.supercomputing.org/program/papers/ad-ae-appendices/). A statement that the run does not know is a gap.
 */
export function appendixOf(facts: AppendixFacts): ReadonlyArray<Block> {
  const artifact = 'Computational Artifact A1'
  return [
    heading(1, 'Artifact Description (AD)'),
    heading(2, 'Overview of Contributions and Artifacts'),
    heading(3, "Paper's Main Contributions"),
    gap('the contributions C1, C2, … of the paper with computational artifacts'),
    heading(3, 'Computational Artifacts'),
    text(
      `A1: ${counted(facts.cells, 'run')} of the simulator of job placement Cloister, described by ${code(facts.experiment)}.`,
    ),
    gap(
      'the DOI or URL of A1, the contributions that A1 supports, and the figures and tables of the paper that A1 reproduces',
    ),
    heading(2, 'Artifact Identification'),
    heading(3, artifact),
    heading(4, 'Relation to Contributions'),
    gap('the relation of A1 to each contribution'),
    heading(4, 'Expected Results'),
    ...expectedResults(facts),
    gap('the way in which the results support the contributions'),
    heading(4, 'Expected Reproduction Time (in Minutes)'),
    ...expectedTime(facts),
    heading(4, 'Artifact Setup'),
    ...setup(facts),
    heading(4, 'Artifact Execution'),
    ...execution(facts),
    heading(4, 'Artifact Analysis'),
    ...analysis(facts),
    heading(1, 'Artifact Evaluation (AE)'),
    heading(2, artifact),
    heading(3, 'Artifact Setup'),
    ...installation(facts),
    ...checkedInputs(facts),
    heading(3, 'Artifact Execution'),
    ...execution(facts),
    heading(3, 'Artifact Analysis'),
    ...analysis(facts),
  ]
}

function expectedResults({ groups, differences, results }: AppendixFacts): ReadonlyArray<Block> {
  const audited = results.filter(({ audit }) => audit !== null)
  const failed = audited.filter(({ audit }) => !audit!.ok)
  return [
    text(
      haveReplicates(groups)
        ? 'Means ± half of the 95 % confidence interval (Student), over runs that differ only by seeds:'
        : 'Each row is one run; without several seeds there is no interval:',
    ),
    { kind: 'table', ...groupRows(groups) },
    ...(differences.length === 0
      ? []
      : [
          text(`Differences from ${code(differences[0].against.policy)}, by pairs of runs with equal seeds:`),
          { kind: 'table', ...differenceRows(differences) } as const,
          ...unpairedLines(groups, differences)
            .flatMap((each) => each.split('\n'))
            .map((line) => text(line.trim().replaceAll('`', "'"))),
        ]),
    text(
      audited.length === 0
        ? 'No log of a run was audited.'
        : `An auditor that shares no code with the scheduler checked ${counted(audited.length, 'log')}: ${failed.length === 0 ? 'no finding' : `findings in ${counted(failed.length, 'log')}`}.`,
    ),
  ]
}

function expectedTime({ results }: AppendixFacts): ReadonlyArray<Block> {
  const times = results.flatMap(({ seconds }) => (seconds === null ? [] : [seconds]))
  const minutes = times.reduce((sum, each) => sum + each, 0) / 60
  return [
    ...(times.length < results.length
      ? [gap('the minutes of Artifact Execution: the times of some runs are not stored')]
      : [
          text(
            `Artifact Execution: ${decimal(Math.max(minutes, 0.1), 1)} minutes of worker threads in total, measured; N worker threads on N processors need about the N-th part.`,
          ),
        ]),
    gap('the minutes of Artifact Setup and of Artifact Analysis'),
  ]
}

function setup(facts: AppendixFacts): ReadonlyArray<Block> {
  return [
    heading(5, 'Hardware'),
    text('No special hardware is necessary: the results have the same bytes on every machine.'),
    gap('processors and memory of the machine with the times above'),
    heading(5, 'Software'),
    { kind: 'table', ...softwareRows(facts) },
    gap('the URL and the commit of Cloister, and the version of Node.js'),
    heading(5, 'Datasets/Inputs'),
    text('The experiment has these options:'),
    { kind: 'table', ...optionRows(facts) },
    text('Job lists, with the SHA-256 of the jobs that the runs submit:'),
    { kind: 'table', ...workloadRows(facts) },
    ...publicLogs(facts),
    ...checkedInputs(facts),
    ...(facts.inputs.size === 1 ? [] : [gap('the URL, the licence and the DOI of the files above')]),
    heading(5, 'Installation and Deployment'),
    ...installation(facts),
  ]
}

function softwareRows({ results, builtIn }: AppendixFacts) {
  const rows = results.flatMap(({ cell, program, build, policy, router, order }) => [
    ['program', program, `build ${build}`],
    ['policy', policy, builtIn.has(cell.policy) ? 'part of cloister' : `given as ${cell.policy}`],
    ...(router === undefined ? [] : [['router', router, `given as ${cell.router}`]]),
    ...(order === undefined ? [] : [['order', order, `given as ${cell.order}`]]),
  ])
  const distinct = new Map(rows.map((row) => [row.join('\n'), row]))
  return {
    heading: ['kind', 'version', 'origin'],
    rows: [...distinct.values(), ['runtime', 'Node.js 22.15 or newer', '']].sort(([a], [b]) =>
      a === b ? 0 : kinds.indexOf(a) - kinds.indexOf(b),
    ),
  }
}

const kinds = ['program', 'runtime', 'policy', 'router', 'order']

/** Returns a row with all values of each option that a cell has, such as seeds, topologies and configurations. */
function optionRows({ results }: AppendixFacts) {
  const valuesOf = (name: RunOptionName): ReadonlyArray<string> => [
    ...new Set(results.flatMap(({ cell }) => (cell[name] === undefined ? [] : [optionText(cell, name)]))),
  ]
  const rows = runOptionNames.map((name) => [name, valuesOf(name).join(', ')]).filter(([, values]) => values !== '')
  return { heading: ['option', 'values'], rows }
}

function workloadRows({ results }: AppendixFacts) {
  const rows = new Map(
    results.map(({ cell, workload: { sha256, jobs, filter, arrivals } }) => [
      sha256 + cell.trace,
      [cell.trace, count(jobs), filter || '-', arrivals, sha256],
    ]),
  )
  return { heading: ['trace', 'jobs', 'filter', 'arrivals', 'SHA-256'], rows: [...rows.values()] }
}

/** Returns a sentence about each public log: the file, its checksum, and the page of its publisher. */
function publicLogs({ results }: AppendixFacts): ReadonlyArray<Block> {
  const logs = [...new Set(results.map(({ cell }) => cell.trace))].flatMap((trace) => publicLog(trace) ?? [])
  return logs.map(({ preset, file, sha256, page, acknowledgement }) =>
    text(
      `${code(preset)} is the file ${code(file)} from ${page}, SHA-256 ${code(sha256)}. ${acknowledgement} The folder of the file is the value of the environment variable ${code('CLOISTER_TRACE_DIR')}.`,
    ),
  )
}

function checkedInputs({ inputs }: AppendixFacts): ReadonlyArray<Block> {
  return [
    text(
      `The files have these checksums; the commands print OK for each file (macOS: ${code('shasum -a 256 --check')}):`,
    ),
    checksums([...inputs].map(([path, sha256]) => [sha256, path])),
  ]
}

function installation({ results, builtIn }: AppendixFacts): ReadonlyArray<Block> {
  const own = [...new Set(results.flatMap(({ cell, policy }) => (builtIn.has(cell.policy) ? [] : [policy])))]
  return [
    command(`npm install --global ${results[0].program}`),
    ...(own.length === 0 ? [] : [gap(`the installation of ${own.join(', ')}`)]),
  ]
}

function execution({ experiment, out, audit }: AppendixFacts): ReadonlyArray<Block> {
  return [
    text(`The command runs the whole experiment on all processors, and writes ${code(out)}:`),
    command(['cloister sweep', quoteWord(experiment), '--out', quoteWord(out), ...noAudit(audit)].join(' ')),
  ]
}

function analysis({ experiment, out, sha256, audit, baseline }: AppendixFacts): ReadonlyArray<Block> {
  const against = baseline === undefined ? [] : ['--baseline', quoteWord(baseline)]
  return [
    text('Equal bytes of the results are a complete reproduction; the command then prints OK:'),
    checksums([[sha256, out]]),
    text(
      'With another version of Cloister, compare the means of the report with the intervals in the Expected Results. The command writes the report:',
    ),
    command(
      ['cloister sweep report', quoteWord(experiment), '--from', quoteWord(out), ...against, ...noAudit(audit)].join(
        ' ',
      ),
    ),
  ]
}

const noAudit = (audit: boolean): ReadonlyArray<string> => (audit ? [] : ['--no-audit'])

/** A copy out of a PDF may lose one of two spaces, and the `echo` of some shells changes backslashes. */
function checksums(rows: ReadonlyArray<readonly [sha256: string, path: string]>): Block {
  return command(
    rows.map(([sha256, path]) => `printf '%s\\n' ${quoteWord(`${sha256} *${path}`)} | sha256sum --check`).join('\n'),
  )
}

const heading = (level: 1 | 2 | 3 | 4 | 5, title: string): Block => ({ kind: 'heading', level, text: title })
const text = (sentences: string): Block => ({ kind: 'text', text: sentences })
const gap = (missing: string): Block => ({ kind: 'gap', text: missing })
const command = (lines: string): Block => ({ kind: 'code', text: lines })

/** Marks a value as code; a value with a backtick would end the code, so the backtick becomes an apostrophe. */
const code = (value: string): string => `\`${value.replaceAll('`', "'")}\``
