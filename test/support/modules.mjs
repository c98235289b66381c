// The product by its single modules and not by the packed file, in which no trace can tell them apart.
import { start } from '../../dist/cli.js'

await start()
