// Runs the tests of the order template in this workspace; `npm create cloister-policy --template order` copies them.
import '../order/test/templated.test.ts'
