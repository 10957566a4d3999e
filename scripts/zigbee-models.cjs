// What zigbee2mqtt's device library says of every model, as JSON on standard output, one model a line:
//   npm install --ignore-scripts zigbee-herdsman-converters && node scripts/zigbee-models.cjs > models.jsonl
// Structure only: names, types, ranges, words and access bits; no descriptions.
const fs = require('fs');
const path = require('path');
const {createRequire} = require('module');

const from = createRequire(path.join(process.cwd(), 'here.js'));
const library = path.dirname(from.resolve('zigbee-herdsman-converters/package.json'));
const {prepareDefinition} = from('zigbee-herdsman-converters');
const devices = path.join(library, 'dist', 'devices');
const nobody = {isDummyDevice: true, endpoints: [], meta: {}, ieeeAddr: '0x0000000000000000', getEndpoint: () => undefined};

const kept = ['type', 'name', 'property', 'endpoint', 'access', 'category', 'unit', 'values', 'value_on', 'value_off',
    'value_toggle', 'value_min', 'value_max', 'value_step'];
const structure = (expose) => {
    const found = {};
    for (const key of kept) if (expose[key] !== undefined) found[key] = expose[key];
    if (Array.isArray(expose.features)) found.features = expose.features.map(structure);
    return found;
};

for (const file of fs.readdirSync(devices).filter((name) => name.endsWith('.js')).sort()) {
    for (const given of from(path.join(devices, file)).definitions ?? []) {
        const model = {vendor: given.vendor, model: given.model};
        try {
            const {exposes} = prepareDefinition(given);
            model.exposes = JSON.parse(JSON.stringify(typeof exposes === 'function' ? exposes(nobody, {}) : exposes)).map(structure);
        } catch (error) {
            model.error = String(error);
        }
        process.stdout.write(JSON.stringify(model) + '\n');
    }
}
