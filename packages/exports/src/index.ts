export { ExportError } from './export-error.ts'
export type { Routes } from './lfts.ts'
export { type ExportFile, opensmFiles, type RunningNodes } from './opensm.ts'
