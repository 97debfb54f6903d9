import { policySuite } from '@cloister/placement/testing'
import lastLeaf from '../src/index.ts'

policySuite(lastLeaf)
