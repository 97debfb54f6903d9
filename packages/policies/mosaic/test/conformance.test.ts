import { policySuite } from '@cloister/placement/testing'
import { mosaic } from '../src/index.ts'

policySuite(mosaic, { configs: [{}, { sharing: { capacity: 1500 } }] })
