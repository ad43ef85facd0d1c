// Makes the component. All of WASI is switched off: a summarizer needs no files, clocks, random numbers or network.
import { componentize } from '@bytecodealliance/componentize-js';
import { rename, writeFile } from 'node:fs/promises';

const { component } = await componentize({
    sourcePath: 'openapi.js',
    witPath: '../../../schemas/summarizer/since-0.1/plugin.wit',
    worldName: 'summarizer-plugin',
    disableFeatures: ['stdio', 'random', 'clocks', 'http', 'fetch-event'],
});
// At once, so that nobody ever finds half of it.
await writeFile('openapi.wasm.new', component);
await rename('openapi.wasm.new', 'openapi.wasm');
