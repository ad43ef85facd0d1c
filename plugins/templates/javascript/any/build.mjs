// Makes the component. All of WASI is switched off: a summarizer needs no files, clocks, random numbers or network.
import { componentize } from '@bytecodealliance/componentize-js';
import { rename, writeFile } from 'node:fs/promises';

const { component } = await componentize({
    sourcePath: 'plugin.js',
    witPath: 'wit/plugin.wit',
    worldName: 'summarizer-plugin',
    disableFeatures: ['stdio', 'random', 'clocks', 'http', 'fetch-event'],
});
// At once, so that nobody ever finds half of it.
await writeFile('{{artifact}}.new', component);
await rename('{{artifact}}.new', '{{artifact}}');
