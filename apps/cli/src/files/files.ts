export { type Existing, Files, type NewFile } from '@cloister/run/node'
