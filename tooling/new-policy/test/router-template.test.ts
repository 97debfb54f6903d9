// Runs the tests of the router template in this workspace; `npm create cloister-policy --template router` copies them.
import '../router/test/templated.test.ts'
